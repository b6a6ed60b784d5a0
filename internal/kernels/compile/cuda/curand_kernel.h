// Random numbers of devices: a thread reads and writes its state as cuRAND does; of what it draws is known that it is the same from the same state.
#pragma once
#include "cuda_runtime.h"

struct curandStateXORWOW { unsigned d, v[5]; };
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t, curandStatePhilox4_32_10_t, curandStatePhilox4_32_10, curandStateMRG32k3a;
extern "C" __device__ unsigned __uninterpreted_function_curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, int word);
extern "C" __device__ unsigned __uninterpreted_function_curand(unsigned, unsigned, unsigned, unsigned, unsigned, unsigned);
MUSTER void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandState *s) {
  s->d = __uninterpreted_function_curand_init(seed, sequence, offset, 5);
  for (int i = 0; i < 5; i++) s->v[i] = __uninterpreted_function_curand_init(seed, sequence, offset, i);
}
MUSTER unsigned curand(curandState *s) { // the oldest word goes
  unsigned drawn = __uninterpreted_function_curand(s->d, s->v[0], s->v[1], s->v[2], s->v[3], s->v[4]);
  s->d = s->v[0];
  for (int i = 0; i < 4; i++) s->v[i] = s->v[i + 1];
  return s->v[4] = drawn;
}
MUSTER float curand_uniform(curandState *s) { return (curand(s) + 1.0f) * 2.3283064e-10f; }
MUSTER double curand_uniform_double(curandState *s) { return (curand(s) + 1.0) * 2.3283064365386963e-10; }
MUSTER float curand_normal(curandState *s) { return 2 * curand_uniform(s) - 1; }
MUSTER double curand_normal_double(curandState *s) { return 2 * curand_uniform_double(s) - 1; }

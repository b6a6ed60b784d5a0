// Random numbers of devices: what a thread draws is not cuRAND's, but it reads and writes its state as there.
#pragma once
#include "cuda_runtime.h"

struct curandStateXORWOW { unsigned d, v[5]; };
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t, curandStatePhilox4_32_10_t, curandStatePhilox4_32_10, curandStateMRG32k3a;
MUSTER void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandState *s) {
  s->d = seed;
  for (int i = 0; i < 5; i++) s->v[i] = sequence + offset;
}
MUSTER unsigned curand(curandState *s) {
  s->v[0] = s->v[0] * 1664525 + 1013904223;
  return s->d += s->v[0];
}
MUSTER float curand_uniform(curandState *s) { return (curand(s) + 1.0f) * 2.3283064e-10f; }
MUSTER double curand_uniform_double(curandState *s) { return (curand(s) + 1.0) * 2.3283064365386963e-10; }
MUSTER float curand_normal(curandState *s) { return 2 * curand_uniform(s) - 1; }
MUSTER double curand_normal_double(curandState *s) { return 2 * curand_uniform_double(s) - 1; }

#include <cuda_runtime.h>
struct Stats { int count; float sum; double dsum; unsigned long long big; };
__global__ void all(Stats *s, unsigned *u, int *i, unsigned long long *ull, float *f, double *d) {
  atomicAdd(&s->count, 1);
  atomicAdd(&s->sum, 1.5f);
  atomicAdd(&s->dsum, 1.5);
  atomicAdd(&s->big, 1ULL);
  atomicAdd(u, 1u); atomicAdd(ull, 1ull); atomicAdd(f, 1.f); atomicAdd(d, 1.0);
  atomicSub(i, 1); atomicSub(u + 1, 1u);
  atomicMin(i + 1, 3); atomicMax(u + 2, 3u); atomicMin(ull + 1, 4ull); atomicMax((long long *)ull + 2, 4ll);
  atomicExch(f + 1, 2.f); atomicExch(i + 2, 2);
  atomicCAS(u + 3, 0u, 1u); atomicCAS(ull + 3, 0ull, 1ull);
  atomicInc(u + 4, 17); atomicDec(u + 5, 17);
  atomicAnd(u + 6, 1u); atomicOr(u + 7, 1); atomicXor(u + 8, 1u);
  atomicAdd_block(i + 3, 1); atomicAdd_system(i + 4, 1);
  atomicAdd(i + 5, 1u); 
  atomicAdd(ull, (unsigned long long)threadIdx.x);
}
// What an atomic that there is none of is made of; the first read is a plain one.
__device__ void multiply(double *at, double by) {
  auto bits = reinterpret_cast<unsigned long long *>(at);
  for (unsigned long long seen = *bits, is;; seen = is) {
    is = atomicCAS(bits, seen, __double_as_longlong(by * __longlong_as_double(seen)));
    if (is == seen) return;
  }
}
__global__ void product(double *d) { multiply(d, threadIdx.x); }

// Said:
// _Z3allP5StatsPjPiPyPfPd alarm race atomics.cu:15:3 atomics.cu:15:3
// _Z7productPd alarm race atomics.cu:22:34 atomics.cu:23:10

#include "kernels.h"

// Each half of the block has a barrier of its own, which waits for 32 threads.
extern "C" __global__ void halves(int *A) {
  __shared__ int s[64];
  int tid = threadIdx.x, half = tid / 32;
  s[tid] = A[tid];
  if (half == 0)
    asm volatile("bar.sync 1, 32;" ::: "memory");
  else
    asm volatile("bar.sync 2, 32;" ::: "memory");
  A[tid] = s[half * 32 + 31 - tid % 32];
}

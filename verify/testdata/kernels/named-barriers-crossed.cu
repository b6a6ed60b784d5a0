#include "kernels.h"

// Each half waits for itself, and reads what the other half writes.
extern "C" __global__ void halves(int *A) {
  __shared__ int s[64];
  int tid = threadIdx.x, half = tid / 32;
  s[tid] = A[tid];
  if (half == 0)
    asm volatile("bar.sync 1, 32;" ::: "memory");
  else
    asm volatile("bar.sync 2, 32;" ::: "memory");
  A[tid] = s[63 - tid];
}

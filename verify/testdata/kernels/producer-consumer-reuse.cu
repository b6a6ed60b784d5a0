#include "kernels.h"

// The writers have not waited for the readers when they write again.
extern "C" __global__ void pass(int *A) {
  __shared__ int s[32];
  int tid = threadIdx.x;
  for (int i = 0; i < 2; i++)
    if (tid < 32) {
      s[tid] = A[tid];
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      A[tid] = s[63 - tid];
    }
}

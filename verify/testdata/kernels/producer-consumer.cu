#include "kernels.h"

// The first 32 threads write and go on; the others wait for them (PTX ISA, "bar", the example).
extern "C" __global__ void pass(int *A) {
  __shared__ int s[32];
  int tid = threadIdx.x;
  if (tid < 32) {
    s[tid] = A[tid];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    A[tid] = s[63 - tid];
  }
}

#include "kernels.h"

__device__ __attribute__((noinline)) void publish(int *s, int v) {
  s[threadIdx.x] = v;
  __syncthreads();
}

extern "C" __global__ void calls(int *A) {
  __shared__ int s[32];
  publish(s, A[threadIdx.x]);
  A[threadIdx.x] = s[31 - threadIdx.x];
}

#include "kernels.h"

extern "C" __global__ void butterfly(int *A) {
  __shared__ int s[32];
  int tid = threadIdx.x;
  s[tid] = A[tid];
  for (int m = 16; m > 0; m /= 2) {
    __syncthreads();
    int v = s[tid] + s[tid ^ m];
    __syncthreads();
    s[tid] = v;
  }
  A[tid] = s[tid];
}

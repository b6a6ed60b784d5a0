#include "kernels.h"

extern "C" __global__ void reverse(int *A) {
  __shared__ int s[32];
  int tid = threadIdx.x;
  s[tid] = A[tid];
  __syncthreads();
  A[31 - tid] = s[tid];
}

#include "kernels.h"

extern "C" __global__ void scan(int *A) {
  __shared__ int buffer[32];
  int tid = threadIdx.x;
  buffer[tid] = A[tid];
  __syncthreads();
  for (int d = 1; d < 32; d *= 2) {
    if (tid >= d)
      buffer[tid] += buffer[tid - d];
    __syncthreads();
  }
  A[tid] = buffer[tid];
}

#include "kernels.h"

extern "C" __global__ void conditional(int *A, int n) {
  int tid = threadIdx.x;
  if (n > 0) {
    A[tid] = 1;
    __syncthreads();
  } else {
    A[tid] = 2;
  }
  A[(tid + 1) % blockDim.x] = 3;
}

#include "kernels.h"

extern "C" __global__ void two_barriers(int *A) {
  if (threadIdx.x == 0) {
    A[threadIdx.x] = 1;
    __syncthreads();
  } else {
    A[threadIdx.x] = 2;
    __syncthreads();
  }
}

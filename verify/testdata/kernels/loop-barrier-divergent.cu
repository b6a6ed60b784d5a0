#include "kernels.h"

extern "C" __global__ void steps(int *A) {
  int tid = threadIdx.x;
  for (int i = 0; i <= tid % 3; i++) {
    A[tid] = i;
    __syncthreads();
  }
}

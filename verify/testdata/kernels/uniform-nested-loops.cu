#include "kernels.h"

extern "C" __global__ void nested(int *A) {
  int x = blockIdx.x == 0 ? 4 : 1;
  int y = blockIdx.x == 0 ? 1 : 4;
  for (int i = 0; i < x; i++)
    for (int j = 0; j < y; j++) {
      A[blockIdx.x * blockDim.x + (threadIdx.x + i + j) % blockDim.x] = i;
      __syncthreads();
    }
}

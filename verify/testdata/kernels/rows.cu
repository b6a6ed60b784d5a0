#include "kernels.h"

extern "C" __global__ void rows(int *A) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  A[y * 16 + x] = x + y;
}

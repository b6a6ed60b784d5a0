#include "kernels.h"

extern "C" __global__ void rows(int *A, int width) {
  __requires(width > 0 && width <= 4096);
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width)
    A[y * width + x] = x + y;
}

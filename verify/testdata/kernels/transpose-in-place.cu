#include "kernels.h"

extern "C" __global__ void transpose(int *A) {
  int x = threadIdx.x, y = threadIdx.y;
  int v = A[y * 8 + x];
  __syncthreads();
  A[x * 8 + y] = v;
}

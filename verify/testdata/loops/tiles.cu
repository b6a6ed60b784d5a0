#include "../kernels/kernels.h"

extern "C" __global__ void multiply(int *A, int *B, int *C, int tiles) {
  __shared__ int a[4][4], b[4][4];
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  int row = blockIdx.y * 4 + y, column = blockIdx.x * 4 + x;
  for (int t = 0; t < tiles; t++) {
    a[y][x] = A[row * 12 + t * 4 + x];
    b[y][x] = B[(t * 4 + y) * 12 + column];
    __syncthreads();
    for (int k = 0; k < 4; k++)
      sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  C[row * 8 + column] = sum;
}

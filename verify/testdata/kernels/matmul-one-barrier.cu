#include "kernels.h"
#define T 4

extern "C" __global__ void matmul(int *A, int *B, int *C) {
  __shared__ int a[T][T], b[T][T];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x, sum = 0;
  for (int t = 0; t < 2; t++) {
    a[y][x] = A[row * 8 + t * T + x];
    b[y][x] = B[(t * T + y) * 8 + column];
    __syncthreads();
    for (int k = 0; k < T; k++)
      sum += a[y][k] * b[k][x];
  }
  C[row * 8 + column] = sum;
}

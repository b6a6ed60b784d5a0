#include "../kernels/kernels.h"

extern "C" __global__ void ring(int *A, int *x, int n) {
  __requires(gridDim.x <= 4096);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = 0;
  for (int j = 0; j < n; j++) {
    A[i * 10 + at] = j;
    at = x[j] % 2 ? at + 1 : 0;
    if (at == 10)
      at = 0;
  }
}

#include "../kernels/kernels.h"

extern "C" __global__ void find(int *A, int *x, int n, int key) {
  __requires(gridDim.x <= 1024);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; j++) {
    if (x[j] == key)
      break;
    A[i] = j;
  }
}

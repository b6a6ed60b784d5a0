#include "../kernels/kernels.h"

extern "C" __global__ void keep(int *A, int *x, int n) {
  __requires(gridDim.x <= 4096);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int kept = 0;
  for (int j = 0; j < n && kept < 16; j++)
    if (x[j] % 2 == 0)
      A[i * 16 + kept++] = x[j];
}

#include "../kernels/kernels.h"

extern "C" __global__ void rows(int *A, int n, int m) {
  __requires(n <= 1000 && m <= 1000);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[(i * m + j) * 32 + threadIdx.x] = i + j;
}

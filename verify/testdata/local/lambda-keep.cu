#include "../kernels/kernels.h"

template <class Body> __device__ void each(int n, Body body) {
  for (int i = 0; i < n; i++)
    body(i);
}

extern "C" __global__ void keep(int *A, int *x, int n) {
  __requires(gridDim.x <= 4096);
  int row = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  int kept = 0;
  each(n, [&](int i) {
    if (x[i] % 2 == 0 && kept < 4)
      A[row + kept++] = x[i];
  });
}

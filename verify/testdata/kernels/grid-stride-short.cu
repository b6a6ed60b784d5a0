#include "kernels.h"

extern "C" __global__ void add(int *x, int *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
    y[i] = x[i] + y[i];
}

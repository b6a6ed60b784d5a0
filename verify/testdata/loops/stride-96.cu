#include "../kernels/kernels.h"

extern "C" __global__ void scale(int *A, int n) {
  __requires(n <= 100000);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    A[i] = 2 * A[i];
}

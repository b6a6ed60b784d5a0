#include "kernels.h"

extern "C" __global__ void stencil(float *A, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    A[i] = A[i - 1] + A[i] + A[i + 1];
}

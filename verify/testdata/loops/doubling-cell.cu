#include "../kernels/kernels.h"

extern "C" __global__ void mark(int *A, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 1; s < 64 && s < n; s *= 2)
    A[i * 64 + s] = s;
}

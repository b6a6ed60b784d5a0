#include "../kernels/kernels.h"

extern "C" __global__ void walk(int *A, int *x, int n) {
  for (int i = threadIdx.x; i < n; i += x[i] % 2 ? 32 : 96)
    A[i] = i;
}

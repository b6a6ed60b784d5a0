#include "../kernels/kernels.h"

extern "C" __global__ void flip(int *A, int *x, int n) {
  int row = 0;
  for (int j = 0; j < n; j++) {
    A[row + threadIdx.x] = j;
    if (x[j] % 2)
      row = 32 - row;
  }
}

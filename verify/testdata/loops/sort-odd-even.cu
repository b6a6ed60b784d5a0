#include "../kernels/kernels.h"

extern "C" __global__ void sort(int *A, int n) {
  int t = threadIdx.x;
  for (int k = 0; k < n; k++) {
    int i = 2 * t + k % 2;
    if (i + 1 < 32 && A[i] > A[i + 1]) {
      int v = A[i];
      A[i] = A[i + 1];
      A[i + 1] = v;
    }
    __syncthreads();
  }
}

#include "../kernels/kernels.h"

extern "C" __global__ void scan(int *A, int n) {
  int t = threadIdx.x;
  for (int d = 1; d < n; d *= 2) {
    int v = t >= d ? A[t - d] : 0;
    __syncthreads();
    A[t] += v;
    __syncthreads();
  }
}

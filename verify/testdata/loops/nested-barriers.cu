#include "../kernels/kernels.h"

extern "C" __global__ void rounds(int *A, int n, int m) {
  int t = threadIdx.x;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      int v = A[(t + j) % blockDim.x];
      __syncthreads();
      A[t] = v;
      __syncthreads();
    }
    A[t] += i;
    __syncthreads();
  }
}

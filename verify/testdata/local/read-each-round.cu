#include "../kernels/kernels.h"

extern "C" __global__ void shift(int *A, int *B, int *x) {
  __shared__ int rounds;
  int t = threadIdx.x;
  if (t == 0)
    rounds = x[0] % 8;
  __syncthreads();
  for (int i = 0; i < rounds; i++) {
    int left = A[t];
    __syncthreads();
    A[t + 1] = left;
    __syncthreads();
    B[t] = left;
  }
}

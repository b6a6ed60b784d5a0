#include "../kernels/kernels.h"

extern "C" __global__ void reduce(int *A) {
  __shared__ int sum[1024];
  int t = threadIdx.x;
  sum[t] = A[t];
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d)
      sum[t] += sum[t + d];
  }
  if (t == 0)
    A[0] = sum[0];
}

#include "../kernels/kernels.h"

// As many numbers as threads are added up: the same as sum.cu, neighbours first.
extern "C" __global__ void reduce(int *in, int *out) {
  __shared__ int sum[64];
  int tid = threadIdx.x;
  sum[tid] = in[tid];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0)
      sum[tid] += sum[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    out[0] = sum[0];
}

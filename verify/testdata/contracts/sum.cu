#include "../kernels/kernels.h"

// As many numbers as threads are added up: the reduction of Li et al., PPoPP 2010, for any power of two up to 64.
extern "C" __global__ void reduce(int *in, int *out) {
  __shared__ int sum[64];
  int tid = threadIdx.x;
  sum[tid] = in[tid];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s)
      sum[tid] += sum[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    out[0] = sum[0];
}

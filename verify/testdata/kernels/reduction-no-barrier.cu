#include "kernels.h"

extern "C" __global__ void reduce(int *in, int *out) {
  __shared__ int sum[64];
  int tid = threadIdx.x;
  sum[tid] = in[blockIdx.x * blockDim.x + tid];
  __syncthreads();
  for (int s = 32; s > 0; s /= 2)
    if (tid < s)
      sum[tid] += sum[tid + s];
  if (tid == 0)
    out[blockIdx.x] = sum[0];
}

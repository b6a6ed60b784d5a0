#include "kernels.h"

extern "C" __global__ void reduce(float *in, float *out) {
  __shared__ float sum[32];
  int tid = threadIdx.x;
  sum[tid] = 0.5f * in[blockIdx.x * blockDim.x + tid];
  __syncthreads();
  for (int s = 16; s > 0; s >>= 1) {
    if (tid < s)
      sum[tid] = sum[tid] + sum[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = sum[0];
}

#include "kernels.h"

// The last steps trust that a warp runs in lockstep, which PTX does not say.
extern "C" __global__ void reduce(int *in, int *out) {
  __shared__ int sum[64];
  int tid = threadIdx.x;
  sum[tid] = in[tid];
  __syncthreads();
  if (tid < 32) {
    sum[tid] += sum[tid + 32];
    sum[tid] += sum[tid + 16];
    sum[tid] += sum[tid + 8];
  }
  __syncthreads();
  out[tid] = sum[tid];
}

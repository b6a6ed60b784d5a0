#include "kernels.h"

// Volatile accesses are strong in PTX: what they leave open are values, not races.
extern "C" __global__ void reduce(int *in, int *out) {
  __shared__ volatile int sum[64];
  int tid = threadIdx.x;
  sum[tid] = in[tid];
  __syncthreads();
  if (tid < 32) {
    sum[tid] = sum[tid] + sum[tid + 32];
    sum[tid] = sum[tid] + sum[tid + 16];
    sum[tid] = sum[tid] + sum[tid + 8];
  }
  __syncthreads();
  out[tid] = sum[tid];
}

#include "kernels.h"

extern "C" __global__ void ring(int *in, int *out, int head) {
  __shared__ int slots[32];
  int tid = threadIdx.x;
  slots[(unsigned)(head + tid) % 32] = in[tid];
  __syncthreads();
  out[tid] = slots[(unsigned)(head + tid + 1) % 32];
}

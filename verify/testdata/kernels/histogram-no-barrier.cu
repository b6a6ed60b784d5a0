#include "kernels.h"

extern "C" __global__ void histogram(int *data, int *bins) {
  __shared__ int local[32];
  int tid = threadIdx.x;
  local[tid] = 0;
  atomicAdd(&local[data[blockIdx.x * blockDim.x + tid] & 31], 1);
  __syncthreads();
  atomicAdd(&bins[tid], local[tid]);
}

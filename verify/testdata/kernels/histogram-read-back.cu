#include "kernels.h"

extern "C" __global__ void histogram(int *data, int *bins, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[data[i] & 31], 1);
  out[i] = bins[data[i] & 31];
}

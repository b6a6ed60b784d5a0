#include "kernels.h"

// An atomic of the scope of its block is none to other blocks.
extern "C" __global__ void histogram(int *data, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd_block(&bins[data[i] & 31], 1);
}

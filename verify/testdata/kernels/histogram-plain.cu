#include "kernels.h"

extern "C" __global__ void histogram(int *data, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bins[data[i] & 31]++;
}

#include "../kernels/kernels.h"

extern "C" __global__ void count(int *out, int *in) {
  int bins[4];
  for (int i = 0; i < 4; i++)
    bins[i] = 0;
  bins[in[blockIdx.x * blockDim.x + threadIdx.x]]++;
  out[blockIdx.x * blockDim.x + threadIdx.x] = bins[0];
}

#include "../kernels/kernels.h"

extern "C" __global__ void fill(int *A, int need) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __requires(gridDim.x <= 4096);
  int end = i * 16 + (need < 16 ? need : 16);
  for (int j = i * 16; j < end; j++)
    A[j] = j;
}

#include "../kernels/kernels.h"

extern "C" __global__ void fill(int *A, int need) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int end = i * 8 + (need < 9 ? need : 9);
  for (int j = i * 8; j < end; j++)
    A[j] = j;
}

#include "kernels.h"

extern "C" __global__ void swapped() {
  int x = threadIdx.x == 0 ? 4 : 1;
  int y = threadIdx.x == 0 ? 1 : 4;
  for (int i = 0; i < x; i++)
    for (int j = 0; j < y; j++)
      __syncthreads();
}

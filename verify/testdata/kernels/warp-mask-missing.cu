#include "kernels.h"
// The mask names 16 lanes, of which 8 do not come.
extern "C" __global__ void mask_missing(int *A) {
  int i = threadIdx.x;
  if (i % 32 < 8) __syncwarp(0x0000ffff);
  A[i] = i;
}

#include "kernels.h"
// Lanes of each half of a warp wait for each other, and read what a neighbour in the half has written.
extern "C" __global__ void halves(int *A, int *B) {
  int i = threadIdx.x;
  A[i] = i;
  __syncwarp(i % 32 < 16 ? 0x0000ffff : 0xffff0000);
  B[i] = A[i ^ 1];
}

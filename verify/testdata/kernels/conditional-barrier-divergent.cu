#include "kernels.h"

extern "C" __global__ void conditional(int *A, int *p) {
  int tid = threadIdx.x;
  if (p[tid] > 0) {
    A[tid] = 1;
    __syncthreads();
  } else {
    A[tid] = 2;
  }
  A[tid] = 3;
}

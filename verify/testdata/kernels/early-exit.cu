#include "kernels.h"

extern "C" __global__ void guarded(int *A, int n) {
  int tid = threadIdx.x;
  if (tid >= n)
    return;
  A[tid] = 1;
  __syncthreads();
  A[(tid + 1) % n] = 2;
}

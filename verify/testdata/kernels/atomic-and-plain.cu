#include "kernels.h"

extern "C" __global__ void mixed(int *A) {
  if (threadIdx.x == 0)
    A[0] = 0;
  else
    atomicAdd(A, 1);
}

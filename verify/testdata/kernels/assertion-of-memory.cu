#include "kernels.h"

extern "C" __global__ void index(int *A) {
  A[threadIdx.x] = threadIdx.x;
  __assert(A[threadIdx.x] == threadIdx.x);
}

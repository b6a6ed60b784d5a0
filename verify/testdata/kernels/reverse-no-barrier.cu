#include "kernels.h"

extern "C" __global__ void reverse(int *A) {
  int tid = threadIdx.x;
  A[31 - tid] = A[tid];
}

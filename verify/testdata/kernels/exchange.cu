#include "kernels.h"

extern "C" __global__ void exchange(int *A) {
  int tid = threadIdx.x;
  A[tid] = A[tid ^ 1];
}

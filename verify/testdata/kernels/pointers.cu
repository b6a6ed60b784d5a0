#include "kernels.h"

extern "C" __global__ void pointers(int *A, int *B, int c) {
  int *p = A;
  int *q = p;
  if (c)
    q = B;
  p = q + 1;
  p[threadIdx.x] = threadIdx.x;
}

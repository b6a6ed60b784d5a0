#include "kernels.h"

extern "C" __global__ void cases(int *A, int *B, int *C) {
  int i = threadIdx.x;
  switch (i % 4) {
  case 0: A[i / 4] = 0; break;
  case 1: B[i / 4] = 1; break;
  case 2: C[i / 4] = 2; break;
  default: A[i + 32] = 3;
  }
}

#include "kernels.h"

extern "C" __global__ void pointers(int *A, int *B) {
  int *p = threadIdx.x % 2 ? A : B;
  p[threadIdx.x / 4] = threadIdx.x;
}

#include "kernels.h"

extern "C" __global__ void walk(int *A, int *end) {
  for (int *p = A + threadIdx.x; p < A + 64; p += 16)
    *p = 0;
}

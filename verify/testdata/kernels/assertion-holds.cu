#include "kernels.h"

extern "C" __global__ void index(int *A) {
  unsigned i = (threadIdx.x * 5 + 3) % 32;
  __assert(i < 32);
  A[i] = 1;
}

#include "kernels.h"

extern "C" __global__ void index(int *A, int n) {
  __requires(n >= 0 && n <= 13);
  int i = threadIdx.x;
  if (i < n) {
    __assert(i != 13);
    A[i] = 1;
  }
}

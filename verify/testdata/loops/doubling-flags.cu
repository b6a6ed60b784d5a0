#include "../kernels/kernels.h"

extern "C" __global__ void mark(int *A, int *x, int n) {
  unsigned bit = 32;
  for (int j = 0; j < n; j++) {
    A[bit | threadIdx.x] = j;
    if (x[j] > 0 && bit < 2048)
      bit *= 2;
  }
}

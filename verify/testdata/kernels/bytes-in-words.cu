#include "kernels.h"

extern "C" __global__ void bytes(unsigned char *A, int *out) {
  int i = threadIdx.x;
  A[i] = i;
  out[i] = ((int *)A)[i / 4];
}

#include "kernels.h"

extern "C" __global__ void overlap(int4 *A, int *out) {
  int i = threadIdx.x;
  int4 v = {i, i, i, i};
  A[i] = v;
  out[i] = ((int *)A)[i];
}

#include "kernels.h"
// The sum of a warp, by shuffles; the first lane writes it.
extern "C" __global__ void shuffle_sum(int *A, int *B) {
  int i = threadIdx.x;
  int v = A[i];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (i % 32 == 0) B[i / 32] = v;
}

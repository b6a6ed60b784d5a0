#include "kernels.h"
// The mask names all lanes, of which half do not come.
extern "C" __global__ void shuffle_divergent(int *A) {
  int i = threadIdx.x;
  int v = i;
  if (i % 32 < 16) v = __shfl_xor_sync(0xffffffff, v, 1);
  A[i] = v;
}

#include "kernels.h"
// Each thread writes where its neighbour in the warp says: every place once.
extern "C" __global__ void shuffle_neighbour(int *A) {
  int i = threadIdx.x;
  int place = __shfl_xor_sync(0xffffffff, i, 1);
  A[place] = i;
}

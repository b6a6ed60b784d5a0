#include "../kernels/kernels.h"

// Pieces are numbered in steps.
extern "C" __global__ void once(int *counter, int *out) {
  __shared__ unsigned piece;
  if (threadIdx.x == 0)
    piece = 3 * atomicAdd(counter, 2) + 1;
  __syncthreads();
  out[(unsigned long long)piece * 64 + threadIdx.x] = threadIdx.x;
}

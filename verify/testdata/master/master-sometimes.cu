#include "../kernels/kernels.h"

// The fetch depends on memory that all write to.
extern "C" __global__ void once(int *counter, int *out) {
  __shared__ unsigned piece;
  if (threadIdx.x == 0 && *out == 0)
    piece = atomicAdd(counter, 1);
  __syncthreads();
  out[(unsigned long long)piece * 64 + threadIdx.x] = threadIdx.x;
}

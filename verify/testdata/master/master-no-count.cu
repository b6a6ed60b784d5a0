#include "../kernels/kernels.h"

// The counter does not count.
extern "C" __global__ void once(int *counter, int *out) {
  __shared__ unsigned piece;
  if (threadIdx.x == 0)
    piece = atomicAdd(counter, 0);
  __syncthreads();
  out[(unsigned long long)piece * 64 + threadIdx.x] = threadIdx.x;
}

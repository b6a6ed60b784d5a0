#include "../kernels/kernels.h"

// Thread 0 of each block fetches pieces of work until there are no more.
extern "C" __global__ void loop(int *counter, int *out, unsigned pieces) {
  __shared__ unsigned piece;
  for (;;) {
    if (threadIdx.x == 0)
      piece = atomicAdd(counter, 1);
    __syncthreads();
    if (piece >= pieces)
      break;
    out[(unsigned long long)piece * 64 + threadIdx.x] = threadIdx.x;
    __syncthreads();
  }
}

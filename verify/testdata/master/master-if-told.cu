#include "../kernels/kernels.h"

// Nothing is fetched if the host says so.
extern "C" __global__ void once(int *counter, int *out, int fetch) {
  __shared__ unsigned piece;
  if (threadIdx.x == 0 && fetch)
    piece = atomicAdd(counter, 1);
  __syncthreads();
  out[(unsigned long long)piece * 64 + threadIdx.x] = threadIdx.x;
}

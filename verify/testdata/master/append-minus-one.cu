#include "../kernels/kernels.h"

// A block collects numbers that are odd, and appends them to those of all blocks.
extern "C" __global__ void append(int *counter, int *in, int *out) {
  __shared__ int found, from, some[64];
  if (threadIdx.x == 0)
    found = -1;
  __syncthreads();
  int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (x & 1)
    some[atomicAdd(&found, 1) + 1] = x;
  __syncthreads();
  if (threadIdx.x == 0)
    from = atomicAdd(counter, found);
  __syncthreads();
  if (threadIdx.x <= found)
    out[from + threadIdx.x] = some[threadIdx.x];
}

#include "kernels.h"

extern "C" __global__ void scan(int *A) {
  __shared__ int buffer[2][32];
  int tid = threadIdx.x, from = 0;
  buffer[0][tid] = A[tid];
  __syncthreads();
  for (int d = 1; d < 32; d *= 2) {
    int v = buffer[from][tid];
    if (tid >= d)
      v += buffer[from][tid - d];
    buffer[1 - from][tid] = v;
    from = 1 - from;
    __syncthreads();
  }
  A[tid] = buffer[from][tid];
}

#include "../kernels/kernels.h"

extern "C" __global__ void reduce(int *A, unsigned n) {
  unsigned t = threadIdx.x;
  for (unsigned d = 1; d < n && d < 1024; d *= 2) {
    if ((t & (d - 1)) == 0)
      A[t] += A[t + d];
    __syncthreads();
  }
}

#include "../kernels/kernels.h"

// With n threads, bin[k] becomes n - 1 choose k: row after row of Pascal's triangle (Fig. 5.9 of CARP deliverable 6.2).
extern "C" __global__ void binomial(unsigned *bin) {
  __shared__ unsigned tmp[64];
  unsigned tid = threadIdx.x, row = 1;
  bin[tid] = 1;
  while (row < blockDim.x - 1) {
    tmp[tid] = bin[tid];
    __syncthreads();
    row++;
    if (0 < tid && tid < row)
      bin[tid] += tmp[tid - 1];
    __syncthreads();
  }
}

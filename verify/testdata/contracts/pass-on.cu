#include "../kernels/kernels.h"

// Each thread reads what its right neighbour has written (Fig. 5.8 of CARP deliverable 6.2).
extern "C" __global__ void pass_on(unsigned *a, unsigned *b) {
  unsigned tid = threadIdx.x, next = (tid + 1) % blockDim.x;
  a[tid] = tid;
  __syncthreads();
  b[tid] = a[next];
}

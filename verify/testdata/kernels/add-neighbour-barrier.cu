#include "kernels.h"

extern "C" __global__ void add_neighbour(int *A, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int neighbour = A[i + offset];
  __syncthreads();
  A[i] = A[i] + neighbour;
}

#include "kernels.h"

extern "C" __global__ void add_neighbour(int *A, int offset) {
  __requires(offset >= 256 && offset < 1024);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  A[i] = A[i] + A[i + offset];
}

#include "kernels.h"

extern "C" __global__ void bytes(unsigned char *A) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  A[i] = A[i] + 1;
}

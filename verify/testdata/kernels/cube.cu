#include "kernels.h"

extern "C" __global__ void cube(int *A) {
  A[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = 1;
}

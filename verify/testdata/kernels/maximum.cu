#include "kernels.h"

extern "C" __global__ void maximum(int *A, int *most) {
  atomicMax(most, A[blockIdx.x * blockDim.x + threadIdx.x]);
}

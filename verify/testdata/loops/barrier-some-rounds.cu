#include "../kernels/kernels.h"

extern "C" __global__ void rounds(int *A, int n) {
  for (int k = 0; k < (int)threadIdx.x % 3 + n; k++) {
    A[threadIdx.x] += k;
    __syncthreads();
  }
}

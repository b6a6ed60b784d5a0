#include "../kernels/kernels.h"

extern "C" __global__ void down(int *A, int n) {
  for (int i = n - 1 - (int)threadIdx.x; i >= 0; i -= 32)
    A[i] = i;
}

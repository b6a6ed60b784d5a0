#include "../kernels/kernels.h"

extern "C" __global__ void leapfrog(int *A, int n) {
  __requires(gridDim.x <= 4096);
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * 128;
  int end = start + 128, here = start, ahead = start + 24;
  for (int j = 0; j < n && here < end; j++) {
    A[here] = j;
    int next = here + 8;
    here = ahead;
    ahead = next;
  }
}

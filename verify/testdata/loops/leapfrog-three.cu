#include "../kernels/kernels.h"

extern "C" __global__ void leapfrog(int *A, int n) {
  __requires(gridDim.x <= 4096);
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
  int end = start + 64, here = start, second = start + 24, third = start + 20;
  for (int j = 0; j < n && here < end; j++) {
    A[here] = j;
    int next = here + 12;
    here = second;
    second = third;
    third = next;
  }
}

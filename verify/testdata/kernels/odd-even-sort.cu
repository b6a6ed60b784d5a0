#include "kernels.h"

extern "C" __global__ void sort(int *A) {
  __shared__ int s[16];
  int tid = threadIdx.x;
  s[tid] = A[tid];
  s[tid + 8] = A[tid + 8];
  __syncthreads();
  for (int i = 0; i < 16; i++) {
    int at = 2 * tid + (i & 1);
    if (at + 1 < 16 && s[at] > s[at + 1]) {
      int v = s[at];
      s[at] = s[at + 1];
      s[at + 1] = v;
    }
    __syncthreads();
  }
  A[tid] = s[tid];
  A[tid + 8] = s[tid + 8];
}

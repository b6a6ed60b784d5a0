#include "kernels.h"

extern "C" __global__ void scan(int *A) {
  __shared__ int t[32];
  int tid = threadIdx.x, offset = 1;
  t[2 * tid] = A[2 * tid];
  t[2 * tid + 1] = A[2 * tid + 1];
  for (int d = 16; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d)
      t[offset * (2 * tid + 2) - 1] += t[offset * (2 * tid + 1) - 1];
    offset *= 2;
  }
  if (tid == 0)
    t[31] = 0;
  for (int d = 1; d < 32; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int low = offset * (2 * tid + 1) - 1, high = offset * (2 * tid + 2) - 1;
      int v = t[low];
      t[low] = t[high];
      t[high] += v;
    }
  }
  __syncthreads();
  A[2 * tid] = t[2 * tid];
  A[2 * tid + 1] = t[2 * tid + 1];
}

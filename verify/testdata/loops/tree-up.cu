#include "../kernels/kernels.h"

extern "C" __global__ void up(int *A, int n) {
  __requires(n > 0 && n <= 1024 && (n & (n - 1)) == 0);
  int t = threadIdx.x, distance = 1;
  for (int d = n / 2; d > 0; d >>= 1) {
    if (t < d)
      A[distance * (2 * t + 2) - 1] += A[distance * (2 * t + 1) - 1];
    distance *= 2;
    __syncthreads();
  }
}

#include "../kernels/kernels.h"

extern "C" __global__ void sort(int *A, int n) {
  int t = threadIdx.x;
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      int v = A[other];
      if ((A[t] > v) == ((t & k) == 0))
        A[t] = v;
      __syncthreads();
    }
}

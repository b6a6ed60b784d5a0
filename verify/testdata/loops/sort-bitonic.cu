#include "../kernels/kernels.h"

extern "C" __global__ void sort(int *A, int n) {
  int t = threadIdx.x;
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      if (other > t && (A[t] > A[other]) == ((t & k) == 0)) {
        int v = A[t];
        A[t] = A[other];
        A[other] = v;
      }
      __syncthreads();
    }
}

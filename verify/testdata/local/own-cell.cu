#include "../kernels/kernels.h"

extern "C" __global__ void keep(int *A, int *x, int n) {
  int t = threadIdx.x;
  int before = A[t];
  for (int i = 0; i < n; i++)
    x[t] = i;
  __assert(A[t] == before);
  A[t] = n;
}

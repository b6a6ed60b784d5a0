#include "../kernels/kernels.h"

// As many steps in each round as the thread has: others wait for more.
extern "C" __global__ void steps(int *A, int *steps, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < steps[t]; j++) {
      A[t] += j;
      __syncthreads();
    }
    A[t] += i;
    __syncthreads();
  }
}

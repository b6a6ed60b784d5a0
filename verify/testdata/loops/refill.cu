#include "../kernels/kernels.h"

// Numbers are used one by one, and as many as there are threads are brought when all are used.
extern "C" __global__ void use(int *A, int *sums, int n) {
  __shared__ int have[8];
  int t = threadIdx.x, read = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    if (i >= read) {
      __syncthreads();
      have[t] = A[read + t];
      read += 8;
      __syncthreads();
    }
    sum += have[(t + i) % 8];
  }
  sums[t] = sum;
}

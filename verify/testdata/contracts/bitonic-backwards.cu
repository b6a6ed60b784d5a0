#include "../kernels/kernels.h"

extern "C" __global__ void sort(int *A) {
  __shared__ int s[64];
  int tid = threadIdx.x;
  s[tid] = A[tid];
  __syncthreads();
  for (int k = 2; k <= blockDim.x; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = tid ^ j;
      if (other > tid && (s[tid] > s[other]) == ((tid & k) != 0)) {
        int v = s[tid];
        s[tid] = s[other];
        s[other] = v;
      }
      __syncthreads();
    }
  A[tid] = s[tid];
}

#include "../kernels/kernels.h"

extern "C" __global__ void settle(int *A, int *x) {
  __shared__ int more[1024];
  int t = threadIdx.x, round = 0;
  do {
    __syncthreads();
    more[t] = round < (x[0] + t) % 4;
    round++;
    __syncthreads();
  } while (more[t]);
}

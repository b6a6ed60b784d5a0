#include "kernels.h"

extern "C" __global__ void chunks(int *A) {
  int tid = threadIdx.x;
  for (int i = tid * 4; i < (tid + 1) * 4; i++)
    A[i] = tid;
}

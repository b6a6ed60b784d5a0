#include "kernels.h"

// The left branch has a barrier: a thread that goes left has passed it, one that goes right has not.
extern "C" __global__ void conditional(int *A, int n) {
  int tid = threadIdx.x;
  bool left = n > 0;
  if (left) {
    A[tid] = 1;
    __syncthreads();
  } else {
    A[tid] = 2;
  }
  A[left ? (tid + 1) % blockDim.x : tid] = 3;
}

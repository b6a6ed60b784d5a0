#include "kernels.clh"
#define N 32

__kernel void next(__local int *A) {
  int tid = get_local_id(0);
  A[tid] = A[tid] + A[(tid + 1) % N];
}

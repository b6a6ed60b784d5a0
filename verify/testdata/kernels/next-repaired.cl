#include "kernels.clh"
#define N 32

__kernel void next(__local int *A) {
  int tid = get_local_id(0);
  int sum = A[tid] + A[(tid + 1) % N];
  barrier(CLK_LOCAL_MEM_FENCE);
  A[tid] = sum;
}

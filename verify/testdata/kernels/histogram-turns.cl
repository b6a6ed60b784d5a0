#include "kernels.clh"
#define N 16

__kernel void histogram(__local int *A, __local int *B) {
  int tid = get_local_id(0);
  int t = A[tid] & 7;
  for (int j = 0; j < N; j++) {
    if (tid == j)
      B[t]++;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

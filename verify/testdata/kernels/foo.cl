#include "kernels.clh"

__kernel void foo(__local int *A, __local int *B, int idx) {
  int tid = get_local_id(0);
  int x = A[tid + idx];
  int y = B[tid];
  A[tid] = x + y;
}

#include "kernels.h"
// All lanes that have an odd number in A write to one place: several may.
extern "C" __global__ void vote_any(int *A, int *B) {
  int i = threadIdx.x;
  bool odd = A[i] & 1;
  if (__ballot_sync(0xffffffff, odd) && odd) B[i / 32] = i;
}

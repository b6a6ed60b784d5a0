#include "kernels.h"
// Of the lanes with an odd number in A, the first writes.
extern "C" __global__ void vote_leader(int *A, int *B) {
  int i = threadIdx.x;
  bool odd = A[i] & 1;
  unsigned lanes = __ballot_sync(0xffffffff, odd);
  if (odd && (lanes & ((1u << i % 32) - 1)) == 0) B[i / 32] = i;
}

#include "kernels.clh"

__kernel void histogram(__local int *A, __local int *B) {
  int t = A[get_local_id(0)];
  __asm__ volatile("red.shared.add.u32 [%0], 1;" ::"l"(&B[t & 7]) : "memory");
}

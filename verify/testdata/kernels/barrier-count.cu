#include "kernels.h"

extern "C" __global__ void count(int *A, int *out) {
  int tid = threadIdx.x, n, positive = A[tid] > 5;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(n) : "r"(positive) : "memory");
  A[(tid + 1) % blockDim.x] = n;
  out[tid] = n;
}

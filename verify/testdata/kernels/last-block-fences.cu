#include "kernels.h"

// Each block leaves its sum; the one that counts to the end adds them up. Fences on both
// sides of the counter order that, not a barrier.
extern "C" __global__ void sum(int *part, int *count, int *out) {
  part[blockIdx.x] = blockIdx.x;
  __threadfence();
  if (atomicAdd(count, 1) == gridDim.x - 1) {
    __threadfence();
    *out = part[0] + part[1];
  }
}

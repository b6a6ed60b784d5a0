#include "../kernels/kernels.h"

// Each thread takes a place, or gives one back.
extern "C" __global__ void take(int *counter, int *out) {
  int need = threadIdx.x % 2 ? 1 : -1;
  int from = atomicAdd(counter, need);
  for (int j = 0; j < need; j++)
    out[from + j] = threadIdx.x;
}

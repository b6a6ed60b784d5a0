#include "../kernels/kernels.h"

// Each thread takes as many places as the data say.
extern "C" __global__ void take(int *counter, int *needs, int *out) {
  int need = needs[blockIdx.x * blockDim.x + threadIdx.x] & 3;
  int from = atomicAdd(counter, need);
  for (int j = 0; j < need; j++)
    out[from + j] = threadIdx.x;
}

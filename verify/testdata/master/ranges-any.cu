#include "../kernels/kernels.h"

// Each thread takes a place or gives one back, as the data say.
extern "C" __global__ void take(int *counter, int *needs, int *out) {
  int need = needs[blockIdx.x * blockDim.x + threadIdx.x] & 1 ? 1 : -1;
  int from = atomicAdd(counter, need);
  if (need > 0)
    out[from] = threadIdx.x;
}

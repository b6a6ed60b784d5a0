#include "kernels.h"

// All write the same value. PTX calls it a race all the same.
extern "C" __global__ void any(int *data, int *found) {
  if (data[threadIdx.x] == 1)
    *found = 1;
}

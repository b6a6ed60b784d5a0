#include "kernels.h"

extern "C" __global__ void work(int *counter, int *in, int *out, int n) {
  int i = atomicAdd(counter, 1);
  while (i < n) {
    out[i] = in[i] * in[i];
    i = atomicAdd(counter, 1);
  }
}

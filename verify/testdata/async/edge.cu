#include "async.h"
#ifndef BYTES
#define BYTES (4 * i + 3 < n ? 16 : 0)
#endif
// What is beyond the end of the input becomes 0; the sums overwrite the part of it that only the thread reads.
extern "C" __global__ void sums(int *data, int n) {
  __shared__ __attribute__((aligned(16))) int tile[256];
  int i = threadIdx.x;
  copy16(&tile[4 * i], &data[4 * i], BYTES);
  wait_all();
  __syncthreads();
  int next = 4 * ((i + 1) % 64);
  data[4 * i] = tile[4 * i] + tile[4 * i + 1] + tile[next];
}

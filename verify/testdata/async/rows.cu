#include "async.h"
#ifndef STORED
#define STORED asm volatile("bar.warp.sync -1;" ::: "memory")
#endif

// Each warp brings a matrix of its own into another order, by rows of 8 numbers: lanes of the warp have to wait for each other.
extern "C" __global__ void order(uint *out, const uint *in) {
  __shared__ __attribute__((aligned(16))) uint tile[2][128];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint r[4];
  for (int i = 0; i < 4; i++)
    r[i] = in[128 * warp + 32 * i + lane];
  store_rows(&tile[warp][4 * lane], r);
  STORED;
  for (int i = 0; i < 4; i++)
    out[128 * warp + 4 * lane + i] = tile[warp][4 * lane + i];
}

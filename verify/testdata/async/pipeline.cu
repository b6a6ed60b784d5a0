#include "async.h"
#ifndef LEFT
#define LEFT 1
#endif
#ifndef ARRIVED
#define ARRIVED __syncthreads()
#endif
#ifndef READ
#define READ __syncthreads()
#endif
#ifndef EMPTY
#define EMPTY commit()
#endif
enum { tiles = 6 };
// Two buffers: one is read while the next tile is copied to the other.
extern "C" __global__ void sum(int *out, const int *in) {
  __shared__ int tile[2][64];
  int i = threadIdx.x, total = 0;
  copy4(&tile[0][i], &in[i]);
  commit();
#pragma unroll
  for (int k = 0; k < tiles; k++) {
    if (k + 1 < tiles) {
      copy4(&tile[(k + 1) % 2][i], &in[64 * (k + 1) + i]);
      commit();
    } else {
      EMPTY;
    }
    wait<LEFT>();
    ARRIVED;
    total += tile[k % 2][i ^ 1] + tile[k % 2][63 - i];
    READ;
  }
  out[i] = total;
}

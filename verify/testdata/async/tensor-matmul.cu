#include "async.h"
#ifndef WAIT
#define WAIT wait<1>()
#endif
#ifndef ARRIVED
#define ARRIVED __syncthreads()
#endif
#ifndef READ
#define READ __syncthreads()
#endif
enum { K = 64, step = 16, pad = 8 };
// A product of 32 rows and 16 columns by two warps, each with 16 rows: tiles of both factors come by asynchronous copies, two of each in turn.
extern "C" __global__ void matmul(float *c, const half *a, const half *b) {
  __shared__ __attribute__((aligned(16))) half as[2][32][step + pad], bs[2][step][16 + pad];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum[2][4] = {};
  int row = threadIdx.x / 2, part = threadIdx.x % 2 * 8;
  copy16(&as[0][row][part], &a[row * K + part]);
  if (threadIdx.x < 32)
    copy16(&bs[0][row][part], &b[row * 16 + part]);
  commit();
  for (int k = 0; k < K / step; k++) {
    if (k + 1 < K / step) {
      int next = (k + 1) * step, to = (k + 1) % 2;
      copy16(&as[to][row][part], &a[row * K + next + part]);
      if (threadIdx.x < 32)
        copy16(&bs[to][row][part], &b[(next + row) * 16 + part]);
    }
    commit();
    WAIT;
    ARRIVED;
    uint left[4], right[2];
    load_rows(left, &as[k % 2][16 * warp + lane % 16][lane / 16 * 8]);
    for (int n = 0; n < 2; n++) {
      load_columns(right, &bs[k % 2][lane % 16][8 * n]);
      multiply(sum[n], left, right);
    }
    READ;
  }
  for (int n = 0; n < 2; n++)
    for (int i = 0; i < 4; i++)
      c[(16 * warp + lane / 4 + i / 2 * 8) * 16 + 8 * n + lane % 4 * 2 + i % 2] = sum[n][i];
}

#include "async.h"
#ifndef STORED
#define STORED asm volatile("bar.warp.sync -1;" ::: "memory")
#endif
#ifndef STRIDE
#define STRIDE 16
#endif
// A warp adds to a matrix of 16 rows and 16 columns in memory, and its lanes add up what it stores.
extern "C" __global__ void product(float *c, float *sums) {
  __shared__ __attribute__((aligned(32))) float tile[2][16 * 16];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float d[8];
  const float *from = c + 16 * STRIDE * warp;
  asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])
               : "l"(from), "r"(STRIDE) : "memory");
  for (int i = 0; i < 8; i++)
    d[i] *= 2;
  asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::"r"(shared(tile[warp])), "f"(d[0]),
               "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7]), "r"(16) : "memory");
  STORED;
  float sum = 0;
  for (int i = 0; i < 8; i++)
    sum += tile[warp][32 * i + lane];
  sums[threadIdx.x] = sum;
}

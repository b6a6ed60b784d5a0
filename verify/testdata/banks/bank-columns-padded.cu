#include "../kernels/kernels.h"

// Rows of 33 words: columns are in different banks.
extern "C" __global__ void transpose(int *in, int *out) {
  __shared__ int tile[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[x][y];
}

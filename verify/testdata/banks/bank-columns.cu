#include "../kernels/kernels.h"

// Columns of a tile of 32x32 words are all in one bank.
extern "C" __global__ void transpose(int *in, int *out) {
  __shared__ int tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[x][y];
}

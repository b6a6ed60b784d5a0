#include "kernels.h"
#define TILE 8

extern "C" __global__ void transpose(int *in, int *out) {
  __shared__ int tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * 16 + x];
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  out[y * 16 + x] = tile[threadIdx.x][threadIdx.y];
}

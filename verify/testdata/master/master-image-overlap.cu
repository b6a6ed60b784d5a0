#include "../kernels/kernels.h"

// As master-image; tiles of different numbers lie at one place.
// As master-image; tiles of different numbers lie at one place.
extern "C" __global__ void image(int *counter, int *pixels, unsigned tiles) {
  __shared__ unsigned tile, x0, y0;
  for (;;) {
    if (threadIdx.x == 0 && threadIdx.y == 0) {
      tile = atomicAdd(counter, 1);
      x0 = tile % 8 * 8;
      y0 = tile / 16 * 8;
    }
    __syncthreads();
    if (tile >= tiles)
      break;
    unsigned x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    int n = 0;
    for (unsigned z = x ^ y; z != 0; z = z >> 1)
      n++;
    pixels[(unsigned long long)y * 128 + x] = n;
    __syncthreads();
  }
}

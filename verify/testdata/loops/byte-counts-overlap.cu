#include "../kernels/kernels.h"

// Each thread counts in bytes of its own, but for those that have the same place.
extern "C" __global__ void count(int *out, const unsigned *in, int n) {
  __shared__ unsigned char counts[64 * 64];
  unsigned place = (threadIdx.x & 15) << 1 | threadIdx.x >> 4 << 2;
  for (int i = 0; i < 16; i++) ((unsigned *)counts)[threadIdx.x + i * 64] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    counts[place + (in[i] & 63) * 64]++;
    counts[place + (in[i] >> 6 & 63) * 64]++;
  }
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 64; i++) sum += counts[threadIdx.x * 64 + i];
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

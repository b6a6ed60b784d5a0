#include "../kernels/kernels.h"

// Elements of 1, 4, 8 and 16 bytes, side by side; then every second, and every 32nd.
extern "C" __global__ void widths(int *out, int stride) {
  __shared__ char bytes[32];
  __shared__ int words[1024];
  __shared__ double doubles[64];
  __shared__ int4 quads[32];
  int t = threadIdx.x;
  bytes[t] = t;
  words[t] = t;
  doubles[t] = t;
  quads[t] = (int4){t, t, t, t};
  __syncthreads();
  out[t] = words[2 * t];
  out[t + 32] = words[32 * t];
  out[t + 64] = doubles[2 * t];
  out[t + 96] = words[out[t]];
  out[t + 128] = words[5];
  out[t + 160] = words[t * stride];
}

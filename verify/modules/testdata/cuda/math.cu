#include <cmath>
#include <cstdint>
#include <cfloat>
#include <climits>
#define N 1024
__constant__ float coeff[16];
__device__ int counter;
__device__ __host__ inline float sq(float x) { return x * x; }
__global__ void k(float *out, double *dout, const float *in, const uint8_t *bytes) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  float x = in[i];
  out[i] = sinf(x) + cosf(x) + expf(x) + logf(x) + powf(x, 2.0f) +
      sqrtf(x) + rsqrtf(x) + fabsf(x) + fmaxf(x, 1.f) + fminf(x, 2.f) + floorf(x) + ceilf(x) + tanhf(x) + __expf(x) + __sinf(x) + __fdividef(x, 3.f) + fmaf(x, x, x) + sq(x) + coeff[i % 16];
  dout[i] = sin((double)x) + sqrt((double)x) + pow((double)x, 2) + fabs((double)x) + fmin(1.0, (double)x) + exp((double)x) + floor((double)x);
  out[i] += max(1.0f, x) + min(1, 2) + max(i, 3) + min(3u, (unsigned)i) + abs(i) + bytes[i] + std::sqrt(x) + isnan(x) + INFINITY;
  atomicAdd(&counter, 1);
}

// Said:
// _Z1kPfPdPKfPKh verified

#include <cuda_fp16.h>
#include <math.h>
#include <cuda_bf16.h>
__global__ void axpy(half *y, const half *x, half a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma(a, x[i], y[i]);
}
__global__ void axpy2(__half2 *y, const __half2 *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 s = __float2half2_rn(a);
  if (i < n) { y[i] = __hadd2(__hmul2(s, x[i]), y[i]); }
}
__global__ void conv(float *y, const half *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __half2float(x[i]) + sqrtf((float)i);
}
__global__ void wide(float *y, const __nv_bfloat16 *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __bfloat162float(x[i]);
}

// Said:
// _Z4axpyP6__halfPKS_S_i verified
// _Z5axpy2P7__half2PKS_fi verified
// _Z4convPfPK6__halfi verified
// _Z4widePfPK13__nv_bfloat16 verified

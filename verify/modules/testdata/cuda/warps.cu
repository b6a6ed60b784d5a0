#define EVERYBODY 0xffffffffu
template <typename T> __device__ T of_warp(T v) {
  for (int by = warpSize >> 1; by; by >>= 1) v += __shfl_xor_sync(EVERYBODY, v, by);
  return v;
}
__global__ void of_block(const double *in, double *out) {
  __shared__ double parts[32];
  double v = of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x % warpSize == 0) parts[threadIdx.x / warpSize] = v;
  __syncthreads();
  if (threadIdx.x < warpSize) {
    v = of_warp(threadIdx.x * warpSize < blockDim.x ? parts[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}
__global__ void misc(int *out, double *d, long long *l, unsigned long long *u) {
  unsigned m = __activemask();
  int lane = threadIdx.x & 31;
  double x = __shfl_sync(EVERYBODY, d[threadIdx.x], 0);
  long long y = __shfl_xor_sync(EVERYBODY, l[threadIdx.x], 1);
  unsigned long long z = __shfl_up_sync(EVERYBODY, u[threadIdx.x], 1u);
  out[threadIdx.x + blockIdx.x * blockDim.x] = __popc(m) + __ffs(m) + __clz(m) + __brev(m) + __popcll(z) + __clzll(z) + __ffsll(y) + (int)x + lane + __byte_perm(m, m, 0x1234) + __mulhi(lane, 3) + __umulhi(lane, 3);
  out[threadIdx.x + blockIdx.x * blockDim.x] += __reduce_add_sync(EVERYBODY, lane) + __match_any_sync(EVERYBODY, lane);
  __nanosleep(100);
  long long t = clock64(); t += clock();
}

// Said:
// _Z8of_blockPKdPd verified
// _Z4miscPiPdPxPy verified

// Places that warps and blocks take from a counter, and buffers that take turns.
#define WARP 0xffffffffu

__device__ unsigned below(unsigned votes) { return __popc(votes & ((1u << (threadIdx.x & 31)) - 1)); }

// A warp takes as many places as it needs: one lane adds for all.
extern "C" __global__ void right_filter(const int *in, int *out, unsigned *found) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, from = 0;
  bool takes = in[i] > 0;
  unsigned votes = __ballot_sync(WARP, takes);
  if (lane == 0) from = atomicAdd(found, __popc(votes));
  from = __shfl_sync(WARP, from, 0);
  if (takes) out[from + below(votes)] = in[i];
}
extern "C" __global__ void right_filter_last(const int *in, int *out, unsigned *found) { // the last lane adds
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, from = 0;
  bool takes = in[i] > 0;
  unsigned votes = __ballot_sync(WARP, takes);
  if (lane == 31) from = atomicAdd(found, __popc(votes));
  from = __shfl_sync(WARP, from, 31);
  if (takes) out[from + below(votes)] = in[i];
}
extern "C" __global__ void wrong_filter_fewer(const int *in, int *out, unsigned *found) { // the last lane is not counted
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, from = 0;
  bool takes = in[i] > 0;
  unsigned votes = __ballot_sync(WARP, takes);
  if (lane == 0) from = atomicAdd(found, __popc(votes & 0x7fffffff));
  from = __shfl_sync(WARP, from, 0);
  if (takes) out[from + below(votes)] = in[i];
}
extern "C" __global__ void wrong_filter_lane(const int *in, int *out, unsigned *found) { // from a lane that has not added
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, from = 0;
  bool takes = in[i] > 0;
  unsigned votes = __ballot_sync(WARP, takes);
  if (lane == 0) from = atomicAdd(found, __popc(votes));
  from = __shfl_sync(WARP, from, 1);
  if (takes) out[from + below(votes)] = in[i];
}
extern "C" __global__ void wrong_filter_others(const int *in, int *out, unsigned *found) { // who does not vote writes
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, from = 0;
  bool takes = in[i] > 0;
  unsigned votes = __ballot_sync(WARP, takes);
  if (lane == 0) from = atomicAdd(found, __popc(votes));
  from = __shfl_sync(WARP, from, 0);
  if (!takes) out[from + below(votes)] = in[i];
}
extern "C" __global__ void wrong_filter_half(const int *in, int *out, unsigned *found) { // each half of a warp, as if it were all
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, from = 0;
  bool takes = in[i] > 0;
  unsigned votes = __ballot_sync(WARP, takes);
  if (lane % 16 == 0) from = atomicAdd(found, __popc(votes));
  from = __shfl_sync(WARP, from, 0, 32);
  if (takes) out[from + __popc(votes & ((1u << (lane & 15)) - 1))] = in[i];
}
extern "C" __global__ void wrong_filter_alone(const int *in, int *out, unsigned *found) { // the leader is not there if it does not take part
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, from = 0;
  bool takes = in[i] > 0;
  unsigned votes = __ballot_sync(WARP, takes);
  if (takes) {
    if (lane == 0) from = atomicAdd(found, __popc(votes));
    from = __shfl_sync(votes, from, 0);
    out[from + below(votes)] = in[i];
  }
}

// A warp fetches work until there is none.
extern "C" __global__ void right_warp_queue(int *out, unsigned *next, unsigned n) {
  unsigned lane = threadIdx.x & 31;
  for (;;) {
    unsigned i = 0;
    if (lane == 0) i = atomicAdd(next, 1);
    i = __shfl_sync(WARP, i, 0);
    if (i >= 1000) break;
    out[i * 32 + lane] = i;
  }
}
extern "C" __global__ void wrong_warp_queue(int *out, unsigned *next, unsigned n) { // pieces overlap
  unsigned lane = threadIdx.x & 31;
  for (;;) {
    unsigned i = 0;
    if (lane == 0) i = atomicAdd(next, 1);
    i = __shfl_sync(WARP, i, 0);
    if (i >= 1000) break;
    out[i * 31 + lane] = i;
  }
}
extern "C" __global__ void wrong_warp_queue_once(int *out, unsigned *next, unsigned n) { // fetched once, and counted on from there
  unsigned lane = threadIdx.x & 31, i = 0;
  if (lane == 0) i = atomicAdd(next, 1);
  for (unsigned k = 0; k < (n & 0xff); k++) {
    unsigned at = __shfl_sync(WARP, i, 0) & 0xffff;
    out[(at + k) * 32 + lane] = i;
  }
}
extern "C" __global__ void wrong_warp_queue_same(int *out, unsigned *next, unsigned n) { // lanes of one warp, in different rounds, at one place
  unsigned lane = threadIdx.x & 31, i = 0;
  if (lane == 0) i = atomicAdd(next, 1);
  for (unsigned k = 0; k < (n & 0xff); k++) {
    unsigned at = __shfl_sync(WARP, i, 0) & 0xffff;
    out[at * 32 + ((lane + k) & 31)] = i;
  }
}

// A block counts who takes part, and takes as many places.
extern "C" __global__ void right_append(const int *in, int *out, unsigned *found) {
  __shared__ unsigned count, from;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  bool takes = in[i] > 0;
  if (takes) at = atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) from = atomicAdd(found, count);
  __syncthreads();
  if (takes) out[from + at] = in[i];
}
extern "C" __global__ void wrong_append_at(const int *in, int *out, unsigned *found) { // one place too far
  __shared__ unsigned count, from;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  bool takes = in[i] > 0;
  if (takes) at = atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) from = atomicAdd(found, count);
  __syncthreads();
  if (takes) out[from + 2 * at] = in[i];
}
extern "C" __global__ void wrong_append_early(const int *in, int *out, unsigned *found) { // the count of the first part
  __shared__ unsigned count, from;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  bool takes = in[i] > 0;
  if (takes && threadIdx.x < 32) at = atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) from = atomicAdd(found, count);
  __syncthreads();
  if (takes && threadIdx.x >= 32) at = atomicAdd(&count, 1);
  if (takes) out[from + at] = in[i];
}

// Arrays and buffers that take turns.
extern "C" __global__ void right_swap_arrays(float *a, float *b, int steps) {
  float *from = a + blockIdx.x * 66, *to = b + blockIdx.x * 66;
  for (int k = 0; k < steps; k++) {
    to[threadIdx.x + 1] = 0.5f * (from[threadIdx.x] + from[threadIdx.x + 2]);
    __syncthreads();
    float *x = from; from = to; to = x;
  }
}
extern "C" __global__ void wrong_swap_arrays(float *a, float *b, int steps) { // no barrier
  float *from = a + blockIdx.x * 66, *to = b + blockIdx.x * 66;
  for (int k = 0; k < steps; k++) {
    to[threadIdx.x + 1] = 0.5f * (from[threadIdx.x] + from[threadIdx.x + 2]);
    float *x = from; from = to; to = x;
  }
}
extern "C" __global__ void wrong_swap_sometimes(float *a, float *b, int steps) { // the arrays are swapped in every second round
  float *from = a + blockIdx.x * 66, *to = b + blockIdx.x * 66;
  for (int k = 0; k < steps; k++) {
    to[threadIdx.x + 1] = 0.5f * (from[threadIdx.x] + from[threadIdx.x + 2]);
    if (k & 1) __syncthreads();
    float *x = from; from = to; to = x;
  }
}
extern "C" __global__ void wrong_swap_late(float *a, float *b, int steps) { // the barrier is behind what others write
  float *from = a + blockIdx.x * 66, *to = b + blockIdx.x * 66;
  for (int k = 0; k < steps; k++) {
    to[threadIdx.x + 1] = 0.5f * (from[threadIdx.x] + from[threadIdx.x + 2]);
    float *x = from; from = to; to = x;
    to[threadIdx.x] = 0;
    __syncthreads();
  }
}
extern "C" __global__ void right_turned(int *out, int steps) {
  __shared__ int s[64];
  int p = threadIdx.x;
  for (int k = 0; k < steps; k++) {
    s[p] = k;
    __syncthreads();
    p = 63 - p;
  }
}
extern "C" __global__ void wrong_turned(int *out, int steps) { // no barrier
  __shared__ int s[64];
  int p = threadIdx.x;
  for (int k = 0; k < steps; k++) {
    s[p] = k;
    p = 63 - p;
  }
}
extern "C" __global__ void wrong_turned_once(int *out, int steps) { // one of them in even rounds only: p is 62 - p, and then 63 - p
  __shared__ int s[128];
  int p = threadIdx.x;
  for (int k = 0; k < steps; k++) {
    s[p & 127] = k;
    s[(63 - threadIdx.x) & 127] = k;
    __syncthreads();
    p = 62 + (k & 1) - p;
  }
}
extern "C" __global__ void right_buffers(const int *in, int *out, int tiles) {
  __shared__ int s[2][64];
  int p = 0;
  s[0][threadIdx.x] = in[threadIdx.x];
  for (int k = 1; k < tiles; k++) {
    __syncthreads();
    s[1 - p][threadIdx.x] = in[(k & 0xff) * 64 + threadIdx.x] + s[p][63 - threadIdx.x];
    p = 1 - p;
  }
}
extern "C" __global__ void right_buffers_sometimes(const int *in, int *out, int tiles) { // in every second pair of rounds
  __shared__ int s[2][64];
  int p = 0;
  s[0][threadIdx.x] = in[threadIdx.x];
  for (int k = 1; k < tiles; k++) {
    __syncthreads();
    s[1 - p][threadIdx.x] = in[(k & 0xff) * 64 + threadIdx.x] + s[p][63 - threadIdx.x];
    if (k & 2) p = 1 - p;
  }
}
extern "C" __global__ void wrong_buffers(const int *in, int *out, int tiles) { // reads what is written
  __shared__ int s[2][64];
  int p = 0;
  s[0][threadIdx.x] = in[threadIdx.x];
  for (int k = 1; k < tiles; k++) {
    __syncthreads();
    s[1 - p][threadIdx.x] = in[(k & 0xff) * 64 + threadIdx.x] + s[1 - p][63 - threadIdx.x];
    p = 1 - p;
  }
}

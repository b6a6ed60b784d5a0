// What is counted of votes, and the lane that is found by it.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define LANE (threadIdx.x & 31)
#define VOTES __ballot_sync(~0u, in[I] > 0)

__global__ void right_first_votes(const int *in) {
  unsigned m = VOTES;
  if (m) assert(m >> (__ffs(m) - 1) & 1);
}
__global__ void right_none_before_first(const int *in) {
  unsigned m = VOTES;
  if (m) assert((m & ((1u << (__ffs(m) - 1)) - 1)) == 0);
}
__global__ void right_last_votes(const int *in) {
  unsigned m = VOTES;
  if (m) assert(m >> (31 - __clz(m)) & 1);
}
__global__ void right_none_behind_last(const int *in) {
  unsigned m = VOTES;
  if (m) assert(m >> (31 - __clz(m)) == 1);
}
__global__ void right_none(const int *in) {
  unsigned m = VOTES;
  assert((m == 0) == (__clz(m) == 32) && (m == 0) == (__ffs(m) == 0) && (m == 0) == (__popc(m) == 0));
}
__global__ void wrong_last_is_5th(const int *in) { assert(__clz(VOTES) != 27); }
__global__ void wrong_last_is_first_lane(const int *in) { assert(__clz(VOTES) != 31); }
__global__ void wrong_last_lane_votes(const int *in) { assert(__clz(VOTES) != 0); }
__global__ void wrong_nobody_is_last(const int *in) { assert(__clz(VOTES) != 32); }
__global__ void wrong_first_is_6th(const int *in) { assert(__ffs(VOTES) != 7); }
__global__ void wrong_first_lane_votes(const int *in) { assert(__ffs(VOTES) != 1); }
__global__ void wrong_first_is_last_lane(const int *in) { assert(__ffs(VOTES) != 32); }
__global__ void wrong_nobody_is_first(const int *in) { assert(__ffs(VOTES) != 0); }
__global__ void wrong_13_vote(const int *in) { assert(__popc(VOTES) != 13); }

// Places that the first lane takes for all, which vote or do not.
__global__ void right_first_lane_takes(int *out, int *count, const int *in) {
  unsigned m = VOTES;
  int first = __ffs(m) - 1, at = 0;
  if (LANE == first) at = atomicAdd(count, __popc(m));
  at = __shfl_sync(~0u, at, first);
  if (in[I] > 0) out[at + __popc(m & ((1u << LANE) - 1))] = in[I];
}
__global__ void wrong_first_lane_takes_too_few(int *out, int *count, const int *in) {
  unsigned m = VOTES;
  int first = __ffs(m) - 1, at = 0;
  if (LANE == first) at = atomicAdd(count, __popc(m) - 1);
  at = __shfl_sync(~0u, at, first);
  if (in[I] > 0) out[at + __popc(m & ((1u << LANE) - 1))] = in[I];
}
__global__ void wrong_last_lane_is_asked(int *out, int *count, const int *in) {
  unsigned m = VOTES;
  int first = __ffs(m) - 1, at = 0;
  if (LANE == first) at = atomicAdd(count, __popc(m));
  at = __shfl_sync(~0u, at, 31 - __clz(m));
  if (in[I] > 0) out[at + __popc(m & ((1u << LANE) - 1))] = in[I];
}

// Groups of threads that meet (CUDA C++ Programming Guide, "Cooperative Groups"): the block, tiles of a warp, the grid.
#pragma once
#include "cuda_runtime.h"

extern "C" __device__ void bugle_grid_barrier();

namespace cooperative_groups {

MUSTER unsigned muster_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
MUSTER unsigned muster_threads() { return blockDim.x * blockDim.y * blockDim.z; }
MUSTER unsigned muster_lanes(unsigned size) { return size == 32 ? 0xffffffff : ((1u << size) - 1) << (muster_rank() & 31 & ~(size - 1)); }

// thread_group is the block, or so many lanes that follow each other.
class thread_group {
  unsigned lanes;

public:
  MUSTER_MEMBER explicit thread_group(unsigned lanes) : lanes(lanes) {}
  MUSTER_MEMBER void sync() const {
    if (lanes) __syncwarp(muster_lanes(lanes));
    else __syncthreads();
  }
  MUSTER_MEMBER unsigned thread_rank() const { return lanes ? muster_rank() & (lanes - 1) : muster_rank(); }
  MUSTER_MEMBER unsigned size() const { return lanes ? lanes : muster_threads(); }
  MUSTER_MEMBER unsigned num_threads() const { return size(); }
  MUSTER_MEMBER bool is_valid() const { return true; }
};

class thread_block : public thread_group {
public:
  MUSTER_MEMBER thread_block() : thread_group(0) {}
  MUSTER_MEMBER static void sync() { __syncthreads(); }
  MUSTER_MEMBER static unsigned thread_rank() { return muster_rank(); }
  MUSTER_MEMBER static unsigned size() { return muster_threads(); }
  MUSTER_MEMBER static unsigned num_threads() { return muster_threads(); }
  MUSTER_MEMBER static dim3 group_index() { return blockIdx; }
  MUSTER_MEMBER static dim3 thread_index() { return threadIdx; }
  MUSTER_MEMBER static dim3 group_dim() { return blockDim; }
  MUSTER_MEMBER static dim3 dim_threads() { return blockDim; }
};
MUSTER thread_block this_thread_block() { return thread_block(); }
MUSTER thread_group tiled_partition(const thread_group &, unsigned lanes) { return thread_group(lanes); }

template <unsigned N, typename Parent = void> class thread_block_tile : public thread_group {
public:
  MUSTER_MEMBER thread_block_tile() : thread_group(N) {}
  template <typename Other> MUSTER_MEMBER thread_block_tile(const thread_block_tile<N, Other> &) : thread_group(N) {}
  MUSTER_MEMBER static unsigned mask() { return muster_lanes(N); }
  MUSTER_MEMBER static void sync() { __syncwarp(mask()); }
  MUSTER_MEMBER static unsigned thread_rank() { return muster_rank() & (N - 1); }
  MUSTER_MEMBER static constexpr unsigned size() { return N; }
  MUSTER_MEMBER static constexpr unsigned num_threads() { return N; }
  MUSTER_MEMBER static unsigned meta_group_rank() { return muster_rank() / N; }
  MUSTER_MEMBER static unsigned meta_group_size() { return (muster_threads() + N - 1) / N; }
  template <typename T> MUSTER_MEMBER static T shfl(T v, int from) { return __shfl_sync(mask(), v, from, N); }
  template <typename T> MUSTER_MEMBER static T shfl_up(T v, unsigned by) { return __shfl_up_sync(mask(), v, by, N); }
  template <typename T> MUSTER_MEMBER static T shfl_down(T v, unsigned by) { return __shfl_down_sync(mask(), v, by, N); }
  template <typename T> MUSTER_MEMBER static T shfl_xor(T v, unsigned by) { return __shfl_xor_sync(mask(), v, by, N); }
  MUSTER_MEMBER static int any(int holds) { return __any_sync(mask(), holds); }
  MUSTER_MEMBER static int all(int holds) { return __all_sync(mask(), holds); }
  MUSTER_MEMBER static unsigned ballot(int holds) { return __ballot_sync(mask(), holds) >> (muster_rank() & 31 & ~(N - 1)); }
};
template <unsigned N, typename Group> MUSTER thread_block_tile<N> tiled_partition(const Group &) { return thread_block_tile<N>(); }

// coalesced_group is the lanes of a warp that have come to a place together.
class coalesced_group {
  unsigned lanes;
  MUSTER_MEMBER unsigned lane(unsigned rank) const { return rank == 0 ? __ffs(lanes) - 1 : __fns(lanes, 0, rank + 1); }

public:
  MUSTER_MEMBER explicit coalesced_group(unsigned lanes) : lanes(lanes) {}
  MUSTER_MEMBER void sync() const { __syncwarp(lanes); }
  MUSTER_MEMBER unsigned thread_rank() const { return __popc(lanes & ((1u << (muster_rank() & 31)) - 1)); }
  MUSTER_MEMBER unsigned size() const { return __popc(lanes); }
  MUSTER_MEMBER unsigned num_threads() const { return size(); }
  template <typename T> MUSTER_MEMBER T shfl(T v, unsigned from) const { return __shfl_sync(lanes, v, lane(from)); }
  MUSTER_MEMBER int any(int holds) const { return __any_sync(lanes, holds); }
  MUSTER_MEMBER int all(int holds) const { return __all_sync(lanes, holds); }
};
MUSTER coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

class grid_group {
public:
  MUSTER_MEMBER static void sync() { bugle_grid_barrier(); }
  MUSTER_MEMBER static unsigned block_rank() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
  MUSTER_MEMBER static unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  MUSTER_MEMBER static unsigned long long thread_rank() { return (unsigned long long)block_rank() * muster_threads() + muster_rank(); }
  MUSTER_MEMBER static unsigned long long size() { return (unsigned long long)num_blocks() * muster_threads(); }
  MUSTER_MEMBER static unsigned long long num_threads() { return size(); }
  MUSTER_MEMBER static dim3 group_dim() { return gridDim; }
  MUSTER_MEMBER static bool is_valid() { return true; }
};
MUSTER grid_group this_grid() { return grid_group(); }
template <typename Group> MUSTER void sync(const Group &g) { g.sync(); }
template <typename Group> MUSTER void synchronize(const Group &g) { g.sync(); }

#define MUSTER_OPERATION(name, result) \
  template <typename T> struct name { \
    MUSTER_MEMBER T operator()(T a, T b) const { return result; } \
  };
MUSTER_OPERATION(plus, a + b)
MUSTER_OPERATION(less, b < a ? b : a)
MUSTER_OPERATION(greater, a < b ? b : a)
MUSTER_OPERATION(bit_and, a & b)
MUSTER_OPERATION(bit_or, a | b)
MUSTER_OPERATION(bit_xor, a ^ b)
template <unsigned N, typename P, typename T, typename Op> MUSTER T reduce(const thread_block_tile<N, P> &g, T v, Op op) {
  for (unsigned by = N / 2; by > 0; by /= 2) v = op(v, g.shfl_xor(v, by));
  return v;
}

} // namespace cooperative_groups

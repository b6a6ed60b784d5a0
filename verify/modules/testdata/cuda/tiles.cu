#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
using namespace cooperative_groups;
__global__ void of_warps(int *out, const int *in) {
  thread_block block = this_thread_block();
  thread_block_tile<32> warp = tiled_partition<32>(block);
  __shared__ int least[2];
  int v = in[block.group_index().x * block.size() + block.thread_rank()];
  for (int by = 1; by < warp.size(); by *= 2) v = min(v, warp.shfl_down(v, by));
  if (warp.thread_rank() == 0) least[warp.meta_group_rank()] = v;
  block.sync();
  if (block.thread_rank() == 0) out[block.group_index().x] = min(least[0], least[1]);
  if (warp.all(v > 3)) out[4] = 1; // both warps do
}
__global__ void of_tiles(int *out, const int *in) {
  auto tile = tiled_partition<16>(this_thread_block());
  int s = reduce(tile, in[threadIdx.x], plus<int>());
  if (tile.thread_rank() == 0) out[threadIdx.x / 16] = s; // in each block
}
__global__ void of_grid(int *a) {
  grid_group grid = this_grid();
  a[grid.thread_rank()] = 1;
  grid.sync();
  a[grid.size() - 1 - grid.thread_rank()] = 2;
}
__global__ void of_tile_sync(int *a) {
  __shared__ int s[64];
  auto tile = tiled_partition<8>(this_thread_block());
  s[threadIdx.x] = a[threadIdx.x];
  tile.sync();
  a[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 15]; // of another tile
}

// Said:
// _Z8of_warpsPiPKi alarm race tiles.cu:13:31 tiles.cu:13:31
// _Z8of_tilesPiPKi alarm race tiles.cu:18:54 tiles.cu:18:54
// _Z7of_gridPi verified
// _Z12of_tile_syncPi alarm race tiles.cu:29:20 tiles.cu:31:36 race tiles.cu:29:18 tiles.cu:31:38

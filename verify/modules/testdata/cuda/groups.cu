#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// rounds adds up what the threads of a group bring, whichever group it is.
__device__ int rounds(const cg::thread_group &g, int *cells, int mine) {
  unsigned at = g.thread_rank();
  cells[at] = mine;
  for (unsigned left = g.size() / 2; left > 0; left /= 2) {
    g.sync();
    if (at < left) cells[at] += cells[at + left];
  }
  g.sync();
  return cells[0];
}
__global__ void of_block(int *out, const int4 *in) {
  extern __shared__ int cells[];
  auto block = cg::this_thread_block();
  int4 v = in[blockIdx.x * block.size() + block.thread_rank()];
  int all = rounds(block, cells, v.x + v.y + v.z + v.w);
  if (block.thread_rank() == 0) atomicAdd(out, all);
}
__global__ void of_tiles(int *out, const int *in) {
  __shared__ int cells[64];
  cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 16);
  int all = rounds(tile, cells + threadIdx.x / 16 * 16, in[threadIdx.x]);
  if (tile.thread_rank() == 0) atomicAdd(out, all);
}
__global__ void one_array(int *out, const int *in) {
  __shared__ int cells[16]; // for four tiles
  cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 16);
  out[blockIdx.x * blockDim.x + threadIdx.x] = rounds(tile, cells, in[threadIdx.x]);
}

// Said:
// _Z8of_blockPiPK4int4 verified
// _Z8of_tilesPiPKi verified
// _Z9one_arrayPiPKi alarm race groups.cu:7:13 groups.cu:7:13 race groups.cu:7:13 groups.cu:10:33 race groups.cu:7:13 groups.cu:10:30 race groups.cu:7:13 groups.cu:10:30

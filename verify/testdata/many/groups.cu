#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// Kernels whose names say whether they are right. They are launched with 2 blocks of 64 threads.
#define K extern "C" __global__ void
#define T threadIdx.x
#define G (blockIdx.x * blockDim.x + threadIdx.x)
K wrong_tile(int *A, int *B) { auto t = cg::tiled_partition<16>(cg::this_thread_block()); A[G] = T; t.sync(); B[G] = A[(G + 16) % 128]; }
K right_tile(int *A, int *B) { auto t = cg::tiled_partition<16>(cg::this_thread_block()); A[G] = T; t.sync(); B[G] = A[G ^ 7]; }
K right_block(int *A, int *B) { auto t = cg::this_thread_block(); int *a = A + blockIdx.x * 64; a[T] = T; t.sync(); B[G] = a[63 - T]; }
K right_grid(int *A, int *B) { A[G] = T; cg::this_grid().sync(); B[G] = A[127 - G]; }
K wrong_grid(int *A, int *B) { A[G] = T; cg::this_thread_block().sync(); B[G] = A[127 - G]; }
K wrong_grid_div(int *A, int *B) { if (blockIdx.x == 0) cg::this_grid().sync(); }
K wrong_tile_rank(int *A) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); A[t.thread_rank()] = 1; }
K right_tile_shfl(int *A) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); int v = A[G]; for (int d = 4; d; d /= 2) v += t.shfl_down(v, d); if (t.thread_rank() == 0) A[128 + G / 8] = v; }

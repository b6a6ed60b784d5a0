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
K right_coalesced_count(const int *A, int *n) { if (A[G] > 0) { auto g = cg::coalesced_threads(); if (g.thread_rank() == 0) atomicAdd(n, g.size()); } }
K right_coalesced_sync(int *A) { __shared__ int s[64]; if (T < 16) { auto g = cg::coalesced_threads(); s[T] = T; g.sync(); } }
K wrong_coalesced_one(const int *A, int *B, int *n) { if (A[G] > 0) { auto g = cg::coalesced_threads(); int base = 0; if (g.thread_rank() == 0) base = atomicAdd(n, 1); base = g.shfl(base, 0); B[base + g.thread_rank()] = A[G]; } }

// Kernels whose names say whether they are right. They are launched with 2 x 2 blocks of 8 x 4 x 2 threads.
#define K extern "C" __global__ void
#define X threadIdx.x
#define Y threadIdx.y
#define B blockIdx.x
K wrong_linear_no_z(int *A) { A[((blockIdx.y * gridDim.x + B) * blockDim.y + Y) * blockDim.x + X] = 1; }
K wrong_swapped_dims(int *A) { int i = threadIdx.z + 4 * (Y + 2 * X); A[((blockIdx.y * 2 + B) * 64) + i] = 1; }
K wrong_block_x_only(int *A) { int t = X + 8 * (Y + 4 * threadIdx.z); A[B * 64 + t] = 1; }
K wrong_bar_subset_dim(int *A, int *C) { int t = X + 8 * (Y + 4 * threadIdx.z); if (Y == 0) __syncthreads(); C[(blockIdx.y * 2 + B) * 64 + t] = 1; }
K wrong_shared_row(int *C) { __shared__ int s[4][8]; s[Y][X] = 1; }
K wrong_warp_by_x(int *C) { __shared__ int s[64]; int t = X + 8 * (Y + 4 * threadIdx.z); s[t] = t; __syncwarp(); C[(blockIdx.y * 2 + B) * 64 + t] = s[(t + 32) % 64]; }
K wrong_transpose_short_pad(int *C) { __shared__ int s[8 * 8]; int t = Y + 4 * threadIdx.z; s[X * 7 + t] = 1; }
K wrong_atom_cta(int *A) { atomicAdd_block(A, 1); }
K wrong_atom_then_plain(int *A) { int t = X + 8 * (Y + 4 * threadIdx.z); if (t == 0) { atomicAdd(A, 1); } else if (t == 1) { A[0] = 2; } }
K wrong_volatile_atomic_size(int *A) { int t = X + 8 * (Y + 4 * threadIdx.z); if (t == 0) atomicAdd((unsigned long long *)A, 1ull); else if (t == 1) atomicAdd(A + 1, 1); }
K wrong_cta_and_gpu(int *A) { if (B == 0) atomicAdd_block(A, 1); else atomicAdd(A, 1); }
K wrong_flag_no_fence(int *A, volatile int *f) { int t = X + 8 * (Y + 4 * threadIdx.z); if (blockIdx.y == 0 && t == 0) { if (B == 0) { A[0] = 1; *f = 1; } else { while (*f == 0) ; A[1] = A[0]; } } }
K wrong_fence_block(int *A, int *f) { int t = X + 8 * (Y + 4 * threadIdx.z); if (blockIdx.y == 0 && t == 0) { if (B == 0) { A[0] = 1; __threadfence_block(); atomicExch(f, 1); } else { while (atomicAdd(f, 0) == 0) ; __threadfence_block(); A[1] = A[0]; } } }
K wrong_lock_per_block(int *A, int *lock) { int t = X + 8 * (Y + 4 * threadIdx.z); if (t == 0) { while (atomicCAS_block(lock, 0, 1)) ; A[0]++; atomicExch_block(lock, 0); } }
K wrong_counter_reused(int *A, unsigned *c) { unsigned i = atomicAdd(c, 1); A[i % 128] = 1; }
K wrong_counter_zero(int *A, unsigned *c, unsigned d) { unsigned i = atomicAdd(c, d); A[i] = 1; }
K wrong_counter_max(int *A, unsigned *c) { int t = X + 8 * (Y + 4 * threadIdx.z); unsigned i = atomicMax(c, t); A[i] = 1; }
K wrong_counter_two(int *A, unsigned *c) { unsigned i = atomicAdd(c + (X & 1), 1); A[i] = 1; }
K wrong_counter_inc_wrap(int *A, unsigned *c) { unsigned i = atomicInc(c, 7); A[i] = 1; }
K wrong_counter_mixed(int *A, unsigned *c) { unsigned i; if (X & 1) i = atomicAdd(c, 1); else i = atomicSub(c, 1); A[i] = 1; }
K wrong_counter_reset(int *A, unsigned *c) { unsigned i = atomicAdd(c, 1); if (X == 3) atomicExch(c, 0); A[i] = 1; }
K wrong_counter_block_shared(int *A) { __shared__ unsigned c; int t = X + 8 * (Y + 4 * threadIdx.z); if (t == 0) c = 0; __syncthreads(); unsigned i = atomicAdd(&c, 1); A[i] = 1; }
K wrong_counter_cta(int *A, unsigned *c) { unsigned i = atomicAdd_block(c, 1); A[i] = 1; }
K right_counter_byte(unsigned char *A, unsigned *c) { unsigned i = atomicAdd(c, 1); A[(unsigned char)i] = 1; }
K wrong_counter_overlap(int *A, unsigned *c) { unsigned i = atomicAdd(c, 1); A[2 * i] = 1; A[i] = 2; }
K wrong_counter_init_race(int *A, unsigned *c) { int t = X + 8 * (Y + 4 * threadIdx.z); if (t == 0) *c = 0; __syncthreads(); unsigned i = atomicAdd(c, 1); A[i] = 1; }
K wrong_cas_index(int *A, unsigned *c) { unsigned i = atomicCAS(c, 3, 4); A[i] = 1; }
K wrong_exch_index(int *A, unsigned *c) { int t = X + 8 * (Y + 4 * threadIdx.z); unsigned i = atomicExch(c, t); A[i] = 1; }
K wrong_counter_bits(unsigned char *A, unsigned *c) { unsigned i = atomicAdd(c, 1); A[i & 127] = 1; }

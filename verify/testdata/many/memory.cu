#include <cuda/atomic>
// Kernels whose names say whether they are right. They are launched with 2 blocks of 64 threads.
#define K extern "C" __global__ void
#define T threadIdx.x
#define G (blockIdx.x * blockDim.x + threadIdx.x)
K wrong_vol_vs_plain(volatile int *A, int *B) { A[0] = 1; ((int *)A)[0] = 2; }
K wrong_atomic_ref_block(int *A) { cuda::atomic_ref<int, cuda::thread_scope_block> a(*A); a.store(1, cuda::memory_order_relaxed); }
K right_atomic_ref_dev(int *A) { cuda::atomic_ref<int, cuda::thread_scope_device> a(*A); a.store(1, cuda::memory_order_relaxed); }
K wrong_mixed_scopes(int *A) { if (blockIdx.x) { cuda::atomic_ref<int, cuda::thread_scope_block> a(*A); a.store(1); } else { cuda::atomic_ref<int, cuda::thread_scope_device> a(*A); a.store(1); } }
K wrong_thread_scope(int *A) { cuda::atomic_ref<int, cuda::thread_scope_thread> a(*A); a.store(1); }
K wrong_vol_64_32(volatile long long *A) { if (T & 1) A[0] = 1; else ((volatile int *)A)[1] = 2; }
K right_vol_same(volatile int *A) { A[0] = G; }
K wrong_vol_vec(volatile int *A) { if (G == 0) { A[0] = 1; } else if (G == 64) { int4 v = *(int4 *)A; A[5] = v.x; } }
K wrong_shared_atomic_plain(int *A) { __shared__ int s; if (T == 0) s = 0; __syncthreads(); atomicAdd(&s, 1); if (T == 0) A[blockIdx.x] = s; }
K right_shared_atomic_block(int *A) { __shared__ int s; if (T == 0) s = 0; __syncthreads(); atomicAdd_block(&s, 1); __syncthreads(); if (T == 0) A[blockIdx.x] = s; }
K wrong_float_atomic_init(float *A) { if (T == 0) *A = 0; __syncthreads(); atomicAdd(A, 1.f); }
K wrong_lock_fence_wrong(int *A, int *l) { if (T == 0) { while (atomicCAS(l, 0, 1) != 0) {} A[0]++; __threadfence(); atomicExch(l, 0); } }
K wrong_syncthreads_global(int *A) { A[G] = 1; __syncthreads(); A[(G + 1) % 128] = 2; }
K wrong_threadfence_only(int *A) { __shared__ int s[64]; s[T] = 1; __threadfence(); A[G] = s[T ^ 1]; }
K wrong_const_write(int *A, const int *B) { A[G] = B[G ^ 1]; ((int *)B)[G] = 3; }
K wrong_ldg(int *A, const int *B) { int v = __ldg(A + (G ^ 1)); A[G] = v; }
K wrong_memcpy(char *A) { char t[8]; for (int i = 0; i < 8; i++) t[i] = 1; memcpy(A + 7 * G, t, 8); }
K right_memcpy(char *A) { char t[8]; for (int i = 0; i < 8; i++) t[i] = 1; memcpy(A + 8 * G, t, 8); }
K right_bitfield(unsigned *A) { struct S { unsigned a : 16, b : 16; }; S *s = (S *)A; if (T & 1) s[G / 2].a = 1; else s[G / 2].b = 2; }
K wrong_bool(bool *A) { A[G / 2] = G & 1; }
K wrong_local_escape(int **A, int *B) { int l = T; A[G] = &l; *A[G ^ 1] = 2; }
K wrong_neg_index(int *A) { A[G] = 1; if (T > 0) A[(int)(G - 1)] = 2; }
K right_dynamic_neg(int *A) { extern __shared__ int d[]; int *p = d + 32; p[-(int)T] = 1; p[T] = 2; }
K wrong_char_sign(char *A, char *I) { int i = (char)(G * 4); A[i + 128] = 1; }
K wrong_size_t(int *A, size_t n) { A[(unsigned)(G * n)] = 1; }
K wrong_ptr_diff(int *A, int *e) { int *p = A + G; while (p < e) { *p = 1; p += 64; } }
K right_ptr_loop(int *A, int *e) { int *p = A + G; while (p < e) { *p = 1; p += 128; } }
K right_ptr_cmp_wrap(int *A, unsigned n) { for (unsigned i = G; i != n; i += 128) { A[i & 1023] = 1; if (i > 100000) break; } }
K wrong_union(int *A) { union { int i; short s[2]; } u; u.i = G; A[u.s[0] & 63] = 1; }

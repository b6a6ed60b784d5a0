// Kernels whose names say whether they are right. They are launched with a block of 64 threads.
#define K extern "C" __global__ void
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8; typedef unsigned short u16;
#define T threadIdx.x
K wrong_partial_mask(int *A, int *B) { A[T] = T; if (T % 32 < 16) __syncwarp(0xffff); B[T] = A[T ^ 16]; }
K wrong_mask_without_me(int *A) { if (T == 5) __syncwarp(0xf); A[T] = 1; }
K wrong_syncwarp_other_warp(int *A, int *B) { A[T] = T; __syncwarp(); B[T] = A[T ^ 32]; }
K wrong_shfl_inactive(int *A) { int v = T; if (T % 32 < 16) v = __shfl_sync(0xffffffff, v, 0); A[T] = v; }
K wrong_vote_divergent(int *A) { int v = 0; if (T & 1) v = __any_sync(0xffffffff, T > 3); A[T] = v; }
K wrong_shfl_value_index(int *A) { int i = __shfl_sync(0xffffffff, (int)T, 0); A[i] = T; }
K wrong_shfl_down_edge(int *A) { int i = __shfl_down_sync(0xffffffff, (int)T, 1); A[i] = T; } // lane 31 keeps its own
K wrong_shfl_xor_width(int *A) { int i = __shfl_xor_sync(0xffffffff, (int)T, 16, 16); A[i] = T; } // out of segment: what happens?
K wrong_ballot_index(int *A) { u32 m = __ballot_sync(0xffffffff, T & 1); int i = __popc(m); A[i] = T; }
K wrong_elect_two(int *A) { u32 m = __ballot_sync(0xffffffff, T & 1); if (m != 0 && T % 32 < 2) A[T / 32] = T; }
K wrong_activemask(int *A) { u32 m = __activemask(); if ((int)(__ffs(m) - 1) == (int)(T % 32)) A[T / 32] = T; } // several groups may each elect a leader
K wrong_match(int *A, int *k) { u32 m = __match_any_sync(0xffffffff, k[T]); if ((int)(__ffs(m) - 1) == (int)(T % 32)) A[T / 32] = 1; }
K wrong_syncwarp_half_value(int *A, int *B, u32 m) { A[T] = T; __syncwarp(m); B[T] = A[T ^ 1]; }
K wrong_shfl_then_no_order(int *A, int *B) { A[T] = T; int v = __shfl_sync(0xffffffff, 1, 0); B[T] = A[T ^ 1] + v; }
K wrong_reduce_sync(int *A, int *B) { A[T] = T; int v = __reduce_add_sync(0xffffffff, 1); B[T] = A[T ^ 1] + v; }
K wrong_alias_shared(int *B) { extern __shared__ int dyn[]; int *p = dyn; char *q = (char *)dyn; p[T] = 1; q[T] = 2; }
K wrong_dynamic_two(int *B, int n) { extern __shared__ int dyn[]; int *p = dyn; int *q = dyn + n; p[T] = 1; q[T] = 2; }
K wrong_dynamic_half(int *B) { extern __shared__ int dyn[]; int *p = dyn; int *q = dyn + 63; p[T] = 1; q[T] = 2; }
K wrong_generic_shared(int *B, int c) { __shared__ int s[128]; int *p = c ? s : B; p[T] = 1; s[T + 1] = 2; }
K wrong_select_pointer(int *A, int *B, int c) { int *p = c ? A : B; int *q = c > 5 ? B : A; p[T] = 1; q[T ^ 1] = 2; }
K wrong_short_in_int(int *A) { ((short *)A)[2 * T + 3] = 1; A[T] = 2; }
K wrong_vector_overlap(int *A) { ((int4 *)A)[T / 4] = make_int4(1, 2, 3, 4); }
K wrong_vector_next(int *A) { int2 *p = (int2 *)A; p[T].x = 1; ((int *)A)[T + 1] = 2; }
K wrong_byte_neighbour(char *A) { A[T] = 1; if (T > 0) *(volatile char *)(A + T - 1) = 2; }
K wrong_double_float(double *A) { A[T] = 1.0; ((float *)A)[2 * T + 2] = 1.f; }
K wrong_unaligned(char *A) { *(int *)(A + T * 3) = 1; }
K wrong_volatile_plain(int *A) { volatile int *v = A; v[T] = 1; int x = A[T ^ 1]; A[64 + T] = x; }
K wrong_volatile_other_size(int *A) { volatile int *v = A; volatile short *w = (volatile short *)A; v[T] = 1; w[2 * (T ^ 1)] = 1; }
K wrong_byte_index(int *A) { u8 i = (u8)(T * 8); A[i] = T; }
K wrong_short_wrap(int *A) { u16 i = (u16)(T << 11); A[i] = T; }
K wrong_mul_wrap(int *A) { u32 i = T * 0x08000000u; A[i >> 20] = T; }
K wrong_neg_stride(int *A, int s) { A[(long long)T * s] = T; }
K right_wrap64(int *A) { u64 i = (u64)T << 58; A[i >> 40] = T; }
K wrong_u32_to_s64(int *A, int off) { long long i = (int)(T + off); long long j = (long long)(u32)(T + off); A[i] = 1; A[j + 1] = 2; }
K wrong_hi(int *A) { A[__umulhi(T, 0x40000000u)] = T; }
K wrong_signed_guard(int *A, int n) { if ((int)T - 32 < n) A[(int)T < 32 ? T : 64] = 1; }
K wrong_unsigned_minus(int *A) { u32 d = T - 1; if (d < 5u) A[d] = 1; else if (d > 100u) A[2] = 1; }
K wrong_abs(int *A) { int i = abs((int)T - 30); A[i] = 1; }
K wrong_mod_negative(int *A) { int i = ((int)T - 32) % 64; A[i + 64 & 31] = 1; }
K wrong_div_negative(int *A) { int i = ((int)T - 2) / 2; A[64 + i] = 1; } // -1/2 = 0 = 1/2
K wrong_shift_big(int *A, int s) { A[T << s] = 1; }
K wrong_shift_right_neg(int *A) { int i = ((int)T - 2) >> 1; A[i + 64] = 1; }
K wrong_min_clamp(int *A) { A[min((int)T, 62)] = 1; }
K wrong_sat(int *A, float f) { A[(int)(T * f)] = 1; }
K wrong_float_index(int *A) { A[(int)((float)T * 0.5f)] = 1; }
K wrong_float_big(int *A) { float f = (float)(T + 0x2000000); A[(int)f - 0x2000000] = 1; } // rounding
K wrong_popc(int *A) { A[__popc(T)] = 1; }
K wrong_brev(int *A) { A[__brev(T) >> 27] = 1; }
K wrong_clz(int *A) { A[__clz(T)] = 1; }
K right_syncwarp(int *A, int *B) { A[T] = T; __syncwarp(); B[T] = A[T ^ 1]; }
K right_syncwarp_mask(int *A, int *B) { A[T] = T; __syncwarp(T % 32 < 16 ? 0xffff : 0xffff0000); B[T] = A[T ^ 8]; }
K right_shfl_index(int *A) { int i = __shfl_xor_sync(0xffffffff, (int)T, 1); A[i] = T; }
K right_shfl_down(int *A) { int i = __shfl_down_sync(0xffffffff, (int)T, 1); if (T % 32 != 31) A[i] = T; }
K right_leader(int *A) { u32 m = __ballot_sync(0xffffffff, T & 1); if (T % 32 == 0) A[T / 32] = m; }
K right_rank(int *A, int *B) { u32 m = __ballot_sync(0xffffffff, B[T] > 0); int r = __popc(m & ((1u << (T % 32)) - 1)); if (B[T] > 0) A[(T / 32) * 32 + r] = T; }
K right_elect(int *A) { u32 m = __ballot_sync(0xffffffff, T & 1); if (__ffs(m) - 1 == (int)(T % 32)) A[T / 32] = T; }
K right_dyn_two(int *B) { extern __shared__ int dyn[]; int *p = dyn; int *q = dyn + 64; p[T] = 1; q[T] = 2; }
K right_dyn_types(float *B) { extern __shared__ char raw[]; float *f = (float *)raw; short *s = (short *)(f + blockDim.x); f[T] = 1.f; s[T] = 2; }
K right_select(int *A, int *B, int c) { int *p = c ? A : B; p[T] = 1; }
K right_swap_ptr(int *A, int *B, int c) { int *p = c ? A : B; int *q = c ? B : A; p[T] = 1; q[63 - T] = 2; }
K right_vec(int4 *A) { int4 v = A[T]; v.x++; A[T] = v; }
K right_vec_scalar(int *A) { ((int4 *)A)[T] = make_int4(0, 0, 0, 0); A[4 * T + 3] = 1; }
K right_bytes(u8 *A) { A[T] = 1; }
K right_struct(float *A) { struct S { float x, y, z; }; S *s = (S *)A; s[T].x = 1; s[T].y = 2; s[T].z = s[T].x; }
K right_neg(int *A) { A[-(int)T + 64] = 1; }
K right_rev(int *A) { A[blockDim.x - 1 - T] = 1; }
K right_div(int *A) { if (T % 2 == 0) A[T / 2] = 1; }
K right_mod(int *A) { A[(T + 7) % 64] = 1; }
K right_mul_odd(int *A) { A[(T * 5) & 63] = 1; }
K right_xor(int *A) { A[T ^ 21] = 1; }
K right_brev(int *A) { A[__brev(T) >> 26] = 1; }
K right_gray(int *A) { A[T ^ (T >> 1)] = 1; }
K right_interleave(int *A) { int x = T & 7, y = T >> 3; A[((x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2 | (x & 4) << 2 | (y & 4) << 3)] = 1; }
K right_col(int *A) { int x = T % 8, y = T / 8; A[x * 8 + y] = 1; }
K right_pad(int *A) { __shared__ float s[8][9]; int x = T % 8, y = T / 8; s[y][x] = A[T]; __syncthreads(); A[T] = s[x][y]; }
K right_atomic_shared(int *A) { __shared__ int c; if (T == 0) c = 0; __syncthreads(); atomicAdd(&c, A[T]); __syncthreads(); if (T == 0) A[64] = c; }
K right_append(int *A, int *B) { __shared__ int c; if (T == 0) c = 0; __syncthreads(); if (B[T] > 0) { int i = atomicAdd(&c, 1); A[i] = T; } }
K right_reduce_warp_last(int *A) { __shared__ int s[64]; s[T] = A[T]; __syncthreads(); if (T < 32) { int v = s[T] + s[T + 32]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d); if (T == 0) A[64] = v; } }
K right_two_level(int *A) { __shared__ int s[2]; int v = A[T]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d); if (T % 32 == 0) s[T / 32] = v; __syncthreads(); if (T == 0) A[64] = s[0] + s[1]; }
K right_broadcast(int *A) { __shared__ int s; if (T == 0) s = A[0]; __syncthreads(); A[T] = s; }
K right_broadcast_global(int *A, int *B) { __shared__ int s; if (T == 17) s = B[3]; __syncthreads(); A[T] = s; }
K right_scan(int *A) { __shared__ int s[64]; s[T] = A[T]; __syncthreads(); for (int d = 1; d < 64; d *= 2) { int v = T >= d ? s[T - d] : 0; __syncthreads(); s[T] += v; __syncthreads(); } A[T] = s[T]; }
K right_uniform_if(int *A, int n) { __shared__ int s[64]; if (n > 3) { s[T] = A[T]; __syncthreads(); A[T] = s[T ^ 1]; } }
K right_uniform_read(int *A, int *n) { __shared__ int s[64]; if (*n > 3) { s[T] = A[T]; __syncthreads(); A[T] = s[T ^ 1]; } }
K right_any(int *A, int *B) { __shared__ int s[64]; if (__syncthreads_or(B[T] > 3)) { s[T] = A[T]; __syncthreads(); A[T] = s[T ^ 1]; } }
K right_odd_even(int *A) { for (int i = 0; i < 64; i++) { int p = 2 * T + (i & 1); if (p + 1 < 128) { int a = A[p], b = A[p + 1]; if (a > b) { A[p] = b; A[p + 1] = a; } } __syncthreads(); } }
K right_half_float(double *A) { float *f = (float *)A; f[2 * T] = 1; f[2 * T + 1] = 2; }
K right_stencil(float *A, float *B) { __shared__ float s[66]; s[T + 1] = A[T]; if (T == 0) { s[0] = 0; s[65] = 0; } __syncthreads(); B[T] = s[T] + s[T + 1] + s[T + 2]; }
K right_switch(int *A) { switch (T % 4) { case 0: A[T] = 1; break; case 1: A[T + 64] = 2; break; case 2: A[T] = 3; break; default: A[T + 64] = 4; } }
K right_volatile_flag(volatile int *A) { A[0] = 1; }
K right_minmax(int *A) { int i = min((int)T, 31); if (T < 31) A[i] = 1; }
K right_float_index(int *A) { if (T < 64) A[(int)((float)T)] = 1; }
K right_ternary(int *A, int c) { int i = c > 0 ? (int)T : 63 - (int)T; A[i] = 1; }
K right_2buf(int *A, int n) { __shared__ int s[2][64]; s[0][T] = A[T]; int c = 0; for (int i = 0; i < n; i++) { __syncthreads(); s[1 - c][T] = s[c][(T + 1) % 64]; c = 1 - c; } A[T] = s[c][T]; }
K right_early_ret_uniform(int *A, int n) { __shared__ int s[64]; if (n < 0) return; s[T] = A[T]; __syncthreads(); A[T] = s[63 - T]; }
K right_u64(int *A) { u64 i = (u64)T * 0x100000001ull; A[(u32)i] = 1; }
K right_i16(short *A) { short i = (short)(T * 3); A[i] = 1; }
K right_hist_private(int *A, u8 *d) { int h[4] = {0, 0, 0, 0}; for (int i = 0; i < 16; i++) h[d[T * 16 + i] & 3]++; for (int i = 0; i < 4; i++) A[T * 4 + i] = h[i]; }
K right_lockfree_max(int *A, int *m) { int v = A[T], old = *((volatile int *)m); while (v > old) { int seen = atomicCAS(m, old, v); if (seen == old) break; old = seen; } }
K right_any_again(int *A, int *B) { __shared__ int s[64]; if (__syncthreads_or(B[T] > 3)) { s[T] = A[T]; __syncthreads(); A[T] = s[T ^ 1]; } }
K right_until(int *A) { __shared__ int s[64]; s[T] = A[T]; do { __syncthreads(); int v = s[T ^ 1]; __syncthreads(); s[T] = v; } while (__syncthreads_or(s[T] > 3)); }
K right_count(int *A) { int n = __syncthreads_count(A[T] > 0); if (T == 0) A[64] = n; }
K right_count_index(int *A) { int n = __syncthreads_count(A[T] > 0); A[n + T + 64] = 1; }
K wrong_or_one(int *A) { if (__syncthreads_or(T == 0)) A[0] = T; }
K wrong_two_reds(int *A, int *B) { int a = __syncthreads_or(B[T] > 0), b = __syncthreads_or(B[T] > 1); if (a) { if (T & 1) { if (b) __syncthreads(); } else __syncthreads(); } }
K wrong_div(int *A, int *B) { if (__syncthreads_or(B[T] > 0) && B[T] > 0) __syncthreads(); }
K wrong_loop(int *A, int n, int *B) { int r = 0; for (int i = 0; i < n; i++) { if (T >= i) r = __syncthreads_or(B[T] == i); else __syncthreads(); if (r) A[0] = T; } }
K wrong_loop2(int *A, int n, int *B) { for (int i = 0; i < n; i++) { int r = __syncthreads_count(B[T] == i); A[r] = T; } }
K wrong_stale(int *A, int n, int *B) { int o = 0; for (int i = 0; i < n; i++) { int r = __syncthreads_or(B[T] == i); if ((i + (T & 1)) & 1) o = r; } if (o) __syncthreads(); }

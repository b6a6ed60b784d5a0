// Kernels whose names say whether they are right. They are launched with 2 blocks of 16 threads.
#define K extern "C" __global__ void
#define T threadIdx.x
K wrong_exit_early(int *A, int n) { if (T >= n) return; __shared__ int s[16]; s[T] = T; __syncthreads(); A[blockIdx.x * 16 + T] = s[T]; }
K wrong_loop_count_tid(int *A) { for (int i = 0; i < T; i++) __syncthreads(); }
K wrong_break_before_bar(int *A, int *p) { __shared__ int s[16]; for (int i = 0; i < 10; i++) { if (p[T] == i) break; __syncthreads(); } }
K wrong_missing_second(int *C, int n) { __shared__ int s[16]; for (int i = 0; i < n; i++) { s[T] = i; __syncthreads(); C[blockIdx.x * 16 + T] = s[(T + 1) & 15]; } }
K wrong_stride_gap(int *A, int n) { for (int i = T; i < n; i += 15) A[i + blockIdx.x * n] = 1; }
K wrong_stride_neg(int *A, int n) { for (int i = n - T; i >= 0; i -= 15) A[i] = 1; }
K wrong_doubling(int *A, int n) { __shared__ int s[16]; s[T] = T; __syncthreads(); for (int d = 1; d < n; d *= 2) { int v = T >= d ? s[T - d] : 0; s[T] += v; __syncthreads(); } }
K wrong_halving_no_bar(int *A, int n) { __shared__ int s[16]; s[T] = T; for (int d = 8; d > 0; d /= 2) { __syncthreads(); if (T < d) s[T] += s[T + d]; } A[blockIdx.x] = s[0]; }
K wrong_stop_by_flag(int *A, int *B) { __shared__ int f; if (T == 0) f = 0; __syncthreads(); while (!f) { if (A[T]) f = 1; __syncthreads(); } }
K right_ping_pong_same(int *A, int n) { __shared__ int s[2][16]; s[0][T] = s[1][T] = 0; __syncthreads(); int c = 0; for (int i = 0; i < n; i++) { s[c][T] = s[c ^ 1][T ^ 1]; if (i % 3) c ^= 1; __syncthreads(); } }
K wrong_inner_div(int *A, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < (int)T % 2 + 1; j++) __syncthreads(); }
K wrong_bar_in_switch(int *A) { switch (T % 3) { case 0: __syncthreads(); break; case 1: __syncthreads(); break; default: __syncthreads(); } }
K wrong_last_iter(int *A, int n) { __shared__ int s[16]; for (int i = 0; i < n; i++) { if (i == 1000) s[0] = T; __syncthreads(); } }
K wrong_late(int *A, int n) { for (int i = 0; i < n; i++) { int k = i < 100 ? (int)(T + 16 * i) : 5; A[k] = 1; } }
K right_wrap_count(int *A, unsigned n) { for (unsigned i = T; i < n; i += 16) A[(unsigned char)i + 256 * blockIdx.x] = 1; }
K wrong_goto(int *A, int n) { int i = T; top: A[i] = 1; i += 8; if (i < n) goto top; }
K wrong_while_data(int *A, int *next) { int p = T; while (p != 0) { A[p] = 1; p = next[p]; } }
K wrong_chunk_len(int *A, int n) { for (int i = T * n; i <= (int)(T + 1) * n; i++) A[i] = 1; }
K wrong_chunk_zero(int *A, int n) { int c = n / 16; for (int i = T * c; i < (int)(T + 1) * c; i++) A[i] = 1; if (T == 15) for (int i = 15 * c; i < n; i++) A[i] = 2; if (T == 14) A[15 * c] = 1; }
K wrong_uniform_read_racy(int *A, int *B) { int n = A[0]; for (int i = 0; i < n; i++) __syncthreads(); if (T == 0) A[0] = 3; }
K wrong_uniform_after_write(int *A) { if (T == 0 && blockIdx.x == 0) A[0] = 7; int n = ((volatile int *)A)[0]; for (int i = 0; i < n; i++) __syncthreads(); }
K wrong_count_up_wrong(int *A, int n) { __shared__ int s[64]; for (int i = 0; i < n; i++) { s[T + (i & 1) * 15] = 1; __syncthreads(); if (i == 7) s[(T + 1) & 15] = 2; } }
K wrong_two_loops_shift(int *C, int n) { __shared__ int s[32]; for (int i = 0; i < n; i++) { s[T] = i; } for (int i = 0; i < n; i++) C[T + 16 * blockIdx.x] = s[T + 1]; }
K wrong_barrier_at_end_only(int *C, int n) { __shared__ int s[16]; do { s[T] = n; __syncthreads(); n -= s[15 - T]; } while (n > 0); }
K wrong_barrier_or(int *C) { __shared__ int s[16]; s[T] = T; if (__syncthreads_or(T == 3)) s[0] = T; }
K wrong_barrier_count(int *C) { int n = __syncthreads_count(C[T] > 0); C[16 + n + T / 2] = 1; }
K wrong_mod7(int *A, int n) { for (int i = T; i < n; i += 16) A[i % 7] = 1; }
K wrong_collatz(int *A, unsigned n) { unsigned x = n + T; while (x > 1) { x = (x & 1) ? 3 * x + 1 : x / 2; } A[x] = 1; }
K wrong_ind_wrap(int *A, unsigned n) { unsigned j = T; for (unsigned i = 0; i < n; i++) { A[j & 0xff] = 1; j += 16; } }
K wrong_iter_dep(int *C, int n) { __shared__ int s[256]; for (int i = 0; i < n; i++) { s[T * i & 255] = 1; __syncthreads(); } }

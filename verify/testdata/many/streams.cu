// Kernels whose names say whether they are right. They are launched with 4 blocks of 32 threads.
#define K extern "C" __global__ void
typedef unsigned u32;
#define T threadIdx.x
#define G (blockIdx.x * blockDim.x + threadIdx.x)
K right_grid_stride(int *A, int n) { for (int i = G; i < n; i += gridDim.x * blockDim.x) A[i] = i; }
K right_grid_stride_u(float *A, u32 n) { for (u32 i = G; i < n; i += gridDim.x * blockDim.x) A[i] += 1.f; }
K right_rows(int *A, int w) { if (w > 0 && w < 1000) for (int x = T; x < w; x += blockDim.x) A[blockIdx.x * w + x] = 1; }
K right_row_per_thread(int *A, int w, int h) { if (w <= 0 || w > 4096) return; u32 r = G; if ((int)r < h) for (int x = 0; x < w; x++) A[r * w + x] = x; }
K right_tiles(float *A, float *B, float *C, int n) { __shared__ float s[32]; float acc = 0; for (int t = 0; t < n; t += 32) { s[T] = (t + (int)T < n) ? A[t + T] : 0.f; __syncthreads(); for (int j = 0; j < 32; j++) acc += s[j] * B[G]; __syncthreads(); } C[G] = acc; }
K right_reduce_any(int *A, int *B) { extern __shared__ int s[]; s[T] = A[G]; __syncthreads(); for (u32 d = blockDim.x / 2; d > 0; d >>= 1) { if (T < d) s[T] += s[T + d]; __syncthreads(); } if (T == 0) B[blockIdx.x] = s[0]; }
K right_jacobi(float *A, float *B, int n) { __shared__ float s[2][34]; int c = 0; s[0][T + 1] = A[G]; s[1][T + 1] = 0; if (T == 0) { s[0][0] = s[1][0] = 0; s[0][33] = s[1][33] = 0; } for (int k = 0; k < n; k++) { __syncthreads(); s[c ^ 1][T + 1] = s[c][T] + s[c][T + 2]; c ^= 1; } B[G] = s[c][T + 1]; }
K right_chunks(int *A, int c) { if (c < 0 || c > 1000) return; for (u32 i = G * c; i < (G + 1) * c; i++) A[i] = 1; }
K right_csr(int *row, int *col, float *v, float *x, float *y, int n) { int r = G; if (r < n) { float a = 0; for (int j = row[r]; j < row[r + 1]; j++) a += v[j] * x[col[j]]; y[r] = a; } }
K right_hist(u32 *h, unsigned char *d, int n) { __shared__ u32 s[256]; for (int i = T; i < 256; i += blockDim.x) s[i] = 0; __syncthreads(); for (int i = G; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[d[i]], 1u); __syncthreads(); for (int i = T; i < 256; i += blockDim.x) atomicAdd(&h[i], s[i]); }
K right_bsearch(int *A, int *B, int n) { int lo = 0, hi = n; while (lo < hi) { int m = (lo + hi) / 2; if (A[m] < (int)G) lo = m + 1; else hi = m; } B[G] = lo; }
K right_scan_block(int *A, int *B) { __shared__ int s[32]; s[T] = A[G]; __syncthreads(); for (int d = 1; d < blockDim.x; d <<= 1) { int v = T >= d ? s[T - d] : 0; __syncthreads(); s[T] += v; __syncthreads(); } B[G] = s[T]; }
K right_blelloch(int *A) { __shared__ int s[64]; s[2 * T] = A[2 * G]; s[2 * T + 1] = A[2 * G + 1]; int o = 1; for (int d = 32; d > 0; d >>= 1) { __syncthreads(); if (T < d) { int a = o * (2 * T + 1) - 1, b = o * (2 * T + 2) - 1; s[b] += s[a]; } o *= 2; } if (T == 0) s[63] = 0; for (int d = 1; d < 64; d *= 2) { o >>= 1; __syncthreads(); if (T < d) { int a = o * (2 * T + 1) - 1, b = o * (2 * T + 2) - 1; int t = s[a]; s[a] = s[b]; s[b] += t; } } __syncthreads(); A[2 * G] = s[2 * T]; A[2 * G + 1] = s[2 * T + 1]; }
K right_spin_own(int *A, int *f) { if (T == 0) { f[blockIdx.x] = 0; for (int i = 0; i < 10; i++) f[blockIdx.x] += i; } A[G] = 1; }
K right_ticket(int *A, u32 *c) { u32 i = atomicAdd(c, 1u); A[i] = 1; }
K right_bounded_append(int *A, u32 *c, int n) { if (A[4096 + G] > 3) { u32 i = atomicAdd(c, 1u); if (i < 100) A[i] = G; } }
K right_warp_agg(int *A, u32 *c, int *B) { __shared__ u32 base; __shared__ u32 cnt; if (T == 0) cnt = 0; __syncthreads(); u32 my = 0; bool p = B[G] > 0; if (p) my = atomicAdd(&cnt, 1u); __syncthreads(); if (T == 0) base = atomicAdd(c, cnt); __syncthreads(); if (p) A[base + my] = G; }
K right_two_phase(int *A, int n) { __shared__ int s[32]; for (int p = 0; p < n; p++) { if (T == p % 32) s[p % 32] = p; __syncthreads(); A[G] += s[p % 32]; __syncthreads(); } }
K right_pyramid(float *s0, int n) { __shared__ float s[32]; s[T] = s0[G]; for (int i = 0; i < n; i++) { __syncthreads(); float v = 0; if (T > i && T < 31 - i) v = s[T - 1] + s[T + 1]; __syncthreads(); if (T > i && T < 31 - i) s[T] = v; } s0[G] = s[T]; }
K right_wave(float *m, int n) { __shared__ float r[32][33]; for (int d = 0; d < 63; d++) { int y = T, x = d - (int)T; if (x >= 0 && x < 32) { float up = y > 0 ? r[y - 1][x] : 0.f, le = x > 0 ? r[y][x - 1] : 0.f; r[y][x] = up + le; } __syncthreads(); } m[G] = r[T][31]; }
K right_bitonic_any(int *A) { extern __shared__ int s[]; s[T] = A[G]; for (u32 k = 2; k <= blockDim.x; k *= 2) for (u32 j = k / 2; j > 0; j /= 2) { __syncthreads(); u32 p = T ^ j; if (p > T) { int a = s[T], b = s[p]; if ((a > b) == ((T & k) == 0)) { s[T] = b; s[p] = a; } } } __syncthreads(); A[G] = s[T]; }
K right_lu_col(float *m, int n) { if (n <= 0 || n > 32) return; for (int k = 0; k < n; k++) { __syncthreads(); if ((int)T > k && (int)T < n) m[blockIdx.x * 1024 + T * 32 + k] /= m[blockIdx.x * 1024 + k * 32 + k]; __syncthreads(); if ((int)T > k && (int)T < n) for (int j = k + 1; j < n; j++) m[blockIdx.x * 1024 + T * 32 + j] -= m[blockIdx.x * 1024 + T * 32 + k] * m[blockIdx.x * 1024 + k * 32 + j]; } }
K right_converge(int *A) { __shared__ int ch; __shared__ int s[32]; s[T] = A[G]; do { __syncthreads(); if (T == 0) ch = 0; __syncthreads(); int v = s[(T + 1) % 32]; __syncthreads(); if (v < s[T]) { s[T] = v; atomicExch(&ch, 1); } __syncthreads(); } while (ch); A[G] = s[T]; }

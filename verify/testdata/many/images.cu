// Kernels whose names say whether they are right. They are launched with 4 x 4 blocks of 16 x 16 threads.
#define K extern "C" __global__ void
#define X threadIdx.x
#define Y threadIdx.y
K right_img(float *A, int w, int h) { int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; if (w > 0 && w < 60000 && h < 60000 && x < w && y < h) A[(long long)y * w + x] = 1; }
K right_img32(float *A, int w, int h) { int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; if (w > 0 && w <= 4096 && h <= 4096 && x < w && y < h) A[y * w + x] = 1; }
K right_transpose(float *o, const float *i, int w, int h) { __shared__ float t[16][17]; int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; if (w <= 0 || h <= 0 || w > 4096 || h > 4096) return; if (x < w && y < h) t[Y][X] = i[y * w + x]; __syncthreads(); x = blockIdx.y * 16 + X; y = blockIdx.x * 16 + Y; if (x < h && y < w) o[y * h + x] = t[X][Y]; }
K right_matmul(float *C, const float *A, const float *B, int n) { __shared__ float a[16][16], b[16][16]; if (n <= 0 || n > 4096) return; int r = blockIdx.y * 16 + Y, c = blockIdx.x * 16 + X; float s = 0; for (int t = 0; t < n; t += 16) { a[Y][X] = (r < n && t + X < n) ? A[r * n + t + X] : 0; b[Y][X] = (c < n && t + Y < n) ? B[(t + Y) * n + c] : 0; __syncthreads(); for (int k = 0; k < 16; k++) s += a[Y][k] * b[k][X]; __syncthreads(); } if (r < n && c < n) C[r * n + c] = s; }
K right_conv(float *o, const float *in, int w, int h) { __shared__ float t[18][18]; int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; for (int j = Y; j < 18; j += 16) for (int i = X; i < 18; i += 16) t[j][i] = in[(blockIdx.y * 16 + j) * 66 + blockIdx.x * 16 + i]; __syncthreads(); if (w > 0 && w <= 64 && x < w && y < h) o[y * w + x] = t[Y][X] + t[Y + 2][X + 2]; }
K right_linear(int *A) { int t = Y * blockDim.x + X, b = blockIdx.y * gridDim.x + blockIdx.x; A[b * blockDim.x * blockDim.y + t] = 1; }
K wrong_pitch(char *A, unsigned pitch, int w, int h) { int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; if (pitch <= 65536 && x < w && y < h && w > 0 && 4 * (unsigned)w <= pitch) ((float *)(A + (size_t)y * pitch))[x] = 1; }
K right_sym(float *A, int n) { int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; if (n > 0 && n <= 64 && y < x && x < n) { A[y * n + x] = 1; A[x * n + y] = 1; } }
K right_quad(int *A) { int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; A[(y / 2 * 32 + x / 2) * 4 + (y % 2) * 2 + x % 2] = 1; }
K right_rowred(float *A, float *B, int w) { __shared__ float s[16][16]; s[Y][X] = A[Y * 16 + X]; __syncthreads(); for (int d = 8; d > 0; d /= 2) { if (X < d) s[Y][X] += s[Y][X + d]; __syncthreads(); } if (X == 0) B[(blockIdx.y * 4 + blockIdx.x) * 16 + Y] = s[Y][0]; }
K right_w16(float *A, unsigned short w, unsigned short h) { unsigned x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; if (x < w && y < h) A[y * w + x] = 1; }
K right_vol(float *A, int w, int h, int d) { int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; if (w <= 0 || h <= 0 || d <= 0 || w > 256 || h > 256 || d > 256 || x >= w || y >= h) return; for (int z = 0; z < d; z++) A[(z * h + y) * w + x] = 1; }
K right_soa(float *A, int n) { int i = (blockIdx.y * 4 + blockIdx.x) * 256 + Y * 16 + X; if (n > 0 && n < 1000000 && i < n) { A[i] = 1; A[n + i] = 2; A[2 * n + i] = 3; } }
K right_tri(float *A) { int x = blockIdx.x * 16 + X, y = blockIdx.y * 16 + Y; if (x <= y) A[y * (y + 1) / 2 + x] = 1; }

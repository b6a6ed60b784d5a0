#include "../kernels/kernels.h"

// Sums of products of rows: the sums of the next row overwrite what is still read.
extern "C" __global__ void products(int *C, const int *A, const int *B, int rows, int width) {
  __shared__ int sums[512];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
      int sum = 0;
      for (int k = i; k < width; k += 512) sum += A[k] * B[k];
      sums[i] = sum;
    }
    for (int n = 256; n > 0; n /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < n; i += blockDim.x) sums[i] += sums[i + n];
    }
    if (threadIdx.x == 0) C[row] = sums[0];
  }
}

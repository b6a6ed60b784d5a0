#include <cassert>
#include <cstdio>
#include <stdio.h>
#include <assert.h>
#define CHECK(call) \
  do { \
    cudaError_t e = (call); \
    if (e != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } \
  } while (0)
#include <stdlib.h>
__global__ void fill(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < n);
  if (threadIdx.x == 0) printf("block %d\n", blockIdx.x);
  out[i] = i;
}
int main(int argc, char **argv) {
  int n = 1 << 20;
  int *d, *h = (int *)malloc(n * sizeof(int));
  CHECK(cudaMalloc((void **)&d, n * sizeof(int)));
  fill<<<(n + 255) / 256, 256>>>(d, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost));
  cudaFree(d); free(h);
  return 0;
}

// Said:
// _Z4fillPii alarm assertion assert.cu:13:3

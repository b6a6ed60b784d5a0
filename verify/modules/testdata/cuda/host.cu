#include <stdio.h>
__global__ void reverse(float *a, const float *b) {
  __shared__ float line[64];
  line[threadIdx.x] = b[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  a[blockIdx.x * 64 + threadIdx.x] = line[63 - threadIdx.x];
}
int main() {
  cudaEvent_t start, stop; cudaEventCreate(&start); cudaEventCreate(&stop);
  cudaEventRecord(start);
  float *a, *b; cudaMalloc((void **)&a, 512); cudaMallocManaged(&b, 512);
  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  reverse<<<4, 64, 0, s>>>(a, b);
  cudaMemsetAsync(a, 0, 12, s);
  cudaHostAlloc((void **)&b, 12, cudaHostAllocDefault);
  cudaMemPrefetchAsync(b, 12, 0);
  cudaDeviceSynchronize(); cudaThreadSynchronize();
  float ms; cudaEventElapsedTime(&ms, start, stop);
  cudaMemcpy2D(a, 1, b, 1, 1, 1, cudaMemcpyHostToDevice);
  size_t pitch; cudaMallocPitch(&a, &pitch, 12, 12);
  cudaStreamWaitEvent(s, start, 0);
  cudaDeviceEnablePeerAccess(1, 0);
  return 0;
}

// Said:
// _Z7reversePfPKf verified

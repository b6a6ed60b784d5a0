#include <algorithm>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <iostream>
#include <numeric>
#include <vector>

template <typename T, unsigned Threads> __global__ void __launch_bounds__(Threads) total(const T *__restrict__ in, T *__restrict__ out, unsigned n) {
  extern __shared__ unsigned char memory[];
  T *part = reinterpret_cast<T *>(memory);
  T mine = 0;
  for (unsigned i = blockIdx.x * Threads + threadIdx.x; i < n; i += Threads * gridDim.x) mine += in[i];
  part[threadIdx.x] = mine;
#pragma unroll
  for (unsigned half = Threads / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (!threadIdx.x) out[blockIdx.x] = *part;
}

int main() {
  std::vector<int> ones(1024, 1), sums(4);
  int *in, *out;
  cudaMalloc(&in, ones.size() * sizeof(int));
  cudaMalloc(&out, sums.size() * sizeof(int));
  cudaMemcpy(in, ones.data(), ones.size() * sizeof(int), cudaMemcpyHostToDevice);
  dim3 grid(4), block(64);
  total<int, 64><<<grid, block, 64 * sizeof(int)>>>(in, out, 1024);
  cudaMemcpy(sums.data(), out, sums.size() * sizeof(int), cudaMemcpyDeviceToHost);
  std::cout << std::accumulate(sums.begin(), sums.end(), 0) << " " << *std::max_element(sums.begin(), sums.end()) << std::endl;
}

// Said:
// _Z5totalIiLj64EEvPKT_PS0_j verified

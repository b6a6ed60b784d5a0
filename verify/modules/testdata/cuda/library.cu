#include <cstdlib>
#include <cstring>
#include <cinttypes>
#include <memory>
#include <functional>
#include <fstream>
#include <sstream>
#include <map>
#include <array>
#include <tuple>
#include <limits>
#include <stdexcept>
constexpr int kThreads = 128;
enum class Op { Add, Mul };
template <Op op> __device__ float apply(float a, float b) { if constexpr (op == Op::Add) return a + b; else return a * b; }
template <Op op> __global__ void kern(float *o, const float *a, const float *b, std::size_t n) {
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * blockDim.x) o[i] = apply<op>(a[i], b[i]);
}
void run(float *o, const float *a, const float *b, size_t n) {
  kern<Op::Add><<<4, kThreads>>>(o, a, b, n);
  kern<Op::Mul><<<4, kThreads>>>(o, a, b, n);
  if (cudaDeviceSynchronize() != cudaSuccess) throw std::runtime_error(cudaGetErrorString(cudaGetLastError()));
  std::unique_ptr<float[]> p(new float[n]);
}

// Said:
// _Z4kernIL2Op0EEvPfPKfS3_m verified
// _Z4kernIL2Op1EEvPfPKfS3_m verified

#include <type_traits>
#include <utility>
#include <string>
#include <chrono>
#include <random>
template <typename T> class Span {
  T *p; int n;
public:
  __host__ __device__ Span(T *p, int n) : p(p), n(n) {}
  __host__ __device__ T &operator[](int i) { return p[i]; }
  __host__ __device__ int size() const { return n; }
};
template <typename T, typename F> __global__ void __launch_bounds__(256, 2) map(Span<T> s, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < s.size()) s[i] = f(s[i]);
}
struct Twice { __device__ float operator()(float x) const { return 2 * x; } };
template <int N> struct Loop { template <typename F> __device__ static void run(F f) { f(N - 1); Loop<N - 1>::run(f); } };
template <> struct Loop<0> { template <typename F> __device__ static void run(F) {} };
template <typename T> __global__ void unrolled(T *a) { Loop<4>::run([=](int i) { a[threadIdx.x * 4 + i] = i; }); }
template __global__ void unrolled<int>(int *);
int main() {
  float *d; cudaMalloc(&d, 1024);
  map<<<4, 64>>>(Span<float>(d, 256), Twice());
  auto t0 = std::chrono::high_resolution_clock::now();
  cudaDeviceSynchronize();
  std::mt19937 g(1);
  std::string s = "x";
  cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0);
  int n; cudaGetDeviceCount(&n);
  cudaMemGetInfo(nullptr, nullptr);
  cudaFuncSetAttribute(unrolled<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, unrolled<int>, 64, 0);
  void *args[] = {&d};
  cudaLaunchKernel((void *)unrolled<int>, dim3(1), dim3(64), args, 0, 0);
  cudaLaunchCooperativeKernel((void *)unrolled<int>, dim3(1), dim3(64), args, 0, 0);
  return 0;
}

// Said:
// _Z8unrolledIiEvPT_ alarm race templates.cu:20:105 templates.cu:20:105
// _Z3mapIf5TwiceEv4SpanIT_ET0_ verified

#include <functional>
template <typename F> __global__ void forall(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <typename F> void parallel_for(int n, F f) { forall<<<(n + 127) / 128, 128>>>(n, f); }
void run(float *x, float *y, float a, int n) {
  parallel_for(n, [=] __device__(int i) { y[i] = a * x[i] + y[i]; });
  parallel_for(n, [=] __host__ __device__(int i) { y[i + 1] = y[i]; });
}
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float a;
  __device__ Square(float a) : a(a) {}
  __device__ float area() const override { return a * a; }
};
struct Circle : Shape {
  float r;
  __device__ Circle(float r) : r(r) {}
  __device__ float area() const override { return 3 * r * r; }
};
__global__ void areas(float *o) {
  Square s(2);
  Circle c(1);
  const Shape *p = threadIdx.x % 2 ? (const Shape *)&s : &c;
  o[threadIdx.x + blockIdx.x * blockDim.x] = p->area();
}

// Said:
// _Z5areasPf verified
// _Z6forallIZ3runPfS0_fiEUliE_EviT_ verified
// _Z6forallIZ3runPfS0_fiEUliE0_EviT_ alarm race methods.cu:9:63 methods.cu:9:61

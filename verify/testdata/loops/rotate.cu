#include "../kernels/kernels.h"

extern "C" __device__ bool __invariant(bool);

extern "C" __global__ void rotate(int *A, int a, int b, int c, int n) {
  __requires(a != b);
  __requires(a != c);
  __requires(b != c);
  for (int j = 0; __invariant(a != b), j < n; j++) {
    int first = a;
    a = b;
    b = c;
    c = first;
  }
  __assert(a != b);
  A[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

#include "../kernels/kernels.h"

struct Buffers {
  int *from, *to;
  __device__ void swap() {
    int *other = from;
    from = to;
    to = other;
  }
};

extern "C" __global__ void smooth(int *A, int *B, int steps) {
  Buffers b = {A, B};
  int t = threadIdx.x;
  for (int i = 0; i < steps; i++) {
    b.to[t] = b.from[t] + b.to[t + 1];
    __syncthreads();
  }
}

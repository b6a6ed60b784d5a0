#include <curand_kernel.h>
#include <helper_cuda.h>
__global__ void setup(curandState *states, unsigned long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &states[i]);
}
__global__ void pi(curandState *states, unsigned *hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState mine = states[i];
  unsigned in = 0;
  for (int k = 0; k < n; k++) {
    float x = curand_uniform(&mine), y = curand_uniform(&mine);
    in += x * x + y * y < 1;
  }
  atomicAdd(hits, in);
  states[i] = mine;
}
int main(int argc, char **argv) {
  findCudaDevice(argc, (const char **)argv);
  curandState *s;
  checkCudaErrors(cudaMalloc(&s, 256 * sizeof(curandState)));
  setup<<<4, 64>>>(s, time(NULL));
}

// Said:
// _Z5setupP17curandStateXORWOWm verified
// _Z2piP17curandStateXORWOWPji verified

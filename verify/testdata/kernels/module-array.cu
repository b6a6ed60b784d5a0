#include "kernels.h"

__device__ int counters[64];

extern "C" __global__ void count() { counters[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

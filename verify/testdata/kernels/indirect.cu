#include "kernels.h"

// Whether this races, the contents of the permutation decide.
extern "C" __global__ void permute(int *order, int *in, int *out) { out[order[threadIdx.x]] = in[threadIdx.x]; }

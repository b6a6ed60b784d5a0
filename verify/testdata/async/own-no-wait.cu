#define WAIT __syncthreads()
#include "own.cu"

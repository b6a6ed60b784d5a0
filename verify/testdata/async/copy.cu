#include "async.h"
#ifndef WAIT
#define WAIT wait_all()
#endif
#ifndef BARRIER
#define BARRIER __syncthreads()
#endif
extern "C" __global__ void reverse(int *out, const int *in) {
  __shared__ int tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  copy4(&tile[threadIdx.x], &in[i]);
  WAIT;
  BARRIER;
  out[i] = tile[63 - threadIdx.x];
}

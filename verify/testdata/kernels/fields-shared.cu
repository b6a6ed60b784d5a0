#include "kernels.h"

struct Pair {
  short a, b;
};

// The two halves of a word, written by two threads.
extern "C" __global__ void fields(Pair *P) {
  int i = threadIdx.x / 2;
  if (threadIdx.x & 1)
    P[i].a = 1;
  else
    P[i].b = 2;
}

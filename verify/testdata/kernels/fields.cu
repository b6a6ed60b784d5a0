#include "kernels.h"

struct Particle {
  float2 position;
  int kind;
  char alive;
};

extern "C" __global__ void fields(Particle *P) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x & 1)
    P[i].position.x = 1.0f;
  else
    P[i].kind = 7;
  P[i].alive = 1;
}

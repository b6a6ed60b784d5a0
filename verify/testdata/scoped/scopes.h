// Accesses with an order and a scope, as the PTX ISA spells them.
#pragma once
#include "../kernels/kernels.h"

#define KERNEL(name) extern "C" __global__ void name(int *a, int *out)
#define BLOCK blockIdx.x
#define THREAD threadIdx.x
#define CELL (blockIdx.x * blockDim.x + threadIdx.x)

#define LD(how, p)                                                              \
  ({                                                                            \
    int v;                                                                      \
    asm volatile("ld." how ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");     \
    v;                                                                          \
  })
#define ST(how, p, v) asm volatile("st." how ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define ATOM(how, p, v)                                                         \
  ({                                                                            \
    int old;                                                                    \
    asm volatile("atom." how " %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory"); \
    old;                                                                        \
  })
#define RED(how, p, v) asm volatile("red." how " [%0], %1;" ::"l"(p), "r"(v) : "memory")
#define FENCE(how) asm volatile("fence." how ";" ::: "memory")
#define BARRIER __syncthreads()

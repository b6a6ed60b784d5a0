#include "kernels.h"

// Strong accesses that overlap in part are not morally strong.
extern "C" __global__ void parts(int *A) {
  if (threadIdx.x == 0)
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(A), "r"(1) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.u16 [%0], %1;" ::"l"(A), "h"((short)2) : "memory");
}

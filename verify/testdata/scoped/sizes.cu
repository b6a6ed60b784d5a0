// Accesses that overlap in part are never morally strong; those of vectors are several (PTX ISA, "Vector Data-types").
#include "scopes.h"

KERNEL(half_of_a_word) {
  if (CELL == 0)
    asm volatile("st.relaxed.gpu.u16 [%0], %1;" ::"l"(a), "h"((short)1) : "memory");
  else
    out[CELL] = LD("relaxed.gpu", a);
}
KERNEL(word_of_two) {
  if (CELL == 0)
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(a), "l"(1ll) : "memory");
  else
    out[CELL] = LD("relaxed.gpu", a + 1);
}
KERNEL(halves_apart) {
  short v = 0;
  if (CELL == 0)
    asm volatile("st.relaxed.gpu.u16 [%0], %1;" ::"l"(a), "h"((short)1) : "memory");
  else
    asm volatile("ld.weak.u16 %0, [%1];" : "=h"(v) : "l"((short *)a + 1) : "memory");
  if (CELL > 0)
    out[CELL] = v;
}
KERNEL(element_of_a_vector) {
  if (CELL == 0)
    asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %1};" ::"l"(a), "r"(1) : "memory");
  else
    out[CELL] = LD("relaxed.gpu", a + 1);
}
KERNEL(vectors) {
  int v = 0, w = 0;
  if (CELL == 0)
    asm volatile("st.relaxed.gpu.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(a), "r"(1) : "memory");
  else
    asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(a + 2) : "memory");
  if (CELL > 0)
    out[CELL] = v + w;
}
KERNEL(vectors_of_two_sizes) {
  long long v = 0, w = 0;
  if (CELL == 0)
    asm volatile("st.relaxed.gpu.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(a), "r"(1) : "memory");
  else
    asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(v), "=l"(w) : "l"(a) : "memory");
  if (CELL > 0)
    out[CELL] = v + w;
}
KERNEL(weak_vector) {
  if (CELL == 0)
    asm volatile("st.weak.v2.u32 [%0], {%1, %1};" ::"l"(a), "r"(1) : "memory");
  else
    out[CELL] = LD("relaxed.gpu", a + 1);
}

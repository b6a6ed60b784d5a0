// Atomics of several scopes: whom they are atomic to.
#include "scopes.h"

KERNEL(add_gpu) { out[CELL] = ATOM("relaxed.gpu.add.u32", a, 1); }
KERNEL(add_cta) { out[CELL] = ATOM("relaxed.cta.add.u32", a, 1); }
KERNEL(add_sys) { out[CELL] = ATOM("relaxed.sys.add.u32", a, 1); }
KERNEL(add_plain) { out[CELL] = ATOM("add.u32", a, 1); }
KERNEL(add_acq_rel) { out[CELL] = ATOM("acq_rel.gpu.add.u32", a, 1); }
KERNEL(add_cta_own) { out[CELL] = ATOM("relaxed.cta.add.u32", a + BLOCK, 1); }
KERNEL(red_gpu) { RED("relaxed.gpu.add.u32", a, 1); }
KERNEL(red_cta) { RED("relaxed.cta.add.u32", a, 1); }
KERNEL(two_scopes) {
  if (BLOCK == 0)
    RED("relaxed.gpu.add.u32", a, 1);
  else
    RED("relaxed.cta.add.u32", a, 1);
}
KERNEL(add_and_weak_load) {
  RED("relaxed.gpu.add.u32", a, 1);
  out[CELL] = *a;
}
KERNEL(add_and_strong_load) {
  RED("relaxed.gpu.add.u32", a, 1);
  out[CELL] = LD("relaxed.gpu", a);
}
KERNEL(add_and_narrow_load) {
  RED("relaxed.gpu.add.u32", a, 1);
  out[CELL] = LD("relaxed.cta", a);
}
KERNEL(shared_cta) {
  __shared__ int sum;
  if (THREAD == 0)
    sum = 0;
  BARRIER;
  RED("relaxed.cta.add.u32", &sum, 1);
  BARRIER;
  out[CELL] = sum;
}
KERNEL(shared_no_barrier) {
  __shared__ int sum;
  if (THREAD == 0)
    sum = 0;
  BARRIER;
  RED("relaxed.cta.add.u32", &sum, 1);
  out[CELL] = sum;
}
KERNEL(exchange_and_weak_store) {
  if (CELL == 0)
    *a = 7;
  else
    RED("relaxed.gpu.max.u32", a, 1);
}
KERNEL(add_of_two_sizes) {
  if (BLOCK == 0)
    RED("relaxed.gpu.add.u32", a, 1);
  else
    asm volatile("red.relaxed.gpu.add.u64 [%0], %1;" ::"l"(a), "l"(1ll) : "memory");
}

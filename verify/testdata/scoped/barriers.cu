// What barriers order, and what scopes have to do with it.
#include "scopes.h"

KERNEL(weak_then_barrier) {
  if (THREAD == 0)
    a[BLOCK] = 1;
  BARRIER;
  out[CELL] = a[BLOCK];
}
KERNEL(barrier_of_another_block) {
  if (CELL == 0)
    a[0] = 1;
  BARRIER;
  out[CELL] = a[0];
}
KERNEL(narrow_then_barrier) {
  if (THREAD == 0)
    ST("relaxed.cta", a + BLOCK, 1);
  BARRIER;
  out[CELL] = a[BLOCK];
}
KERNEL(narrow_of_another_block) {
  if (CELL == 0)
    ST("relaxed.cta", a, 1);
  BARRIER;
  out[CELL] = LD("relaxed.cta", a);
}
KERNEL(fence_alone) {
  if (CELL == 0)
    a[0] = 1;
  FENCE("acq_rel.gpu");
  out[CELL] = a[0];
}
KERNEL(strong_without_barrier) {
  if (CELL == 0)
    ST("relaxed.gpu", a, 1);
  out[CELL] = LD("relaxed.gpu", a);
}
KERNEL(lanes_of_a_warp) {
  __shared__ int s[32];
  s[THREAD] = 1;
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  out[CELL] = s[THREAD ^ 1];
}
KERNEL(lanes_of_two_warps) {
  __shared__ int s[64];
  s[THREAD] = 1;
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  out[CELL] = s[THREAD ^ 32];
}

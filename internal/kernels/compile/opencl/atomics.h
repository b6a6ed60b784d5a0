// Atomic functions as OpenCL C 1.x has them (6.15.12, "Legacy"): relaxed, of the scope of the device. The same functions begin with atom_ for 64 bits.
#define MUSTER_OPERATION(space, type, name, does) \
  MUSTER type atomic_##name(volatile space type *p, type v) { return does(p, v); } \
  MUSTER type atom_##name(volatile space type *p, type v) { return does(p, v); }
#define MUSTER_ATOMIC(space, type, least, most) \
  MUSTER_OPERATION(space, type, add, __sync_fetch_and_add) \
  MUSTER_OPERATION(space, type, sub, __sync_fetch_and_sub) \
  MUSTER_OPERATION(space, type, xchg, __sync_lock_test_and_set) \
  MUSTER_OPERATION(space, type, min, least) \
  MUSTER_OPERATION(space, type, max, most) \
  MUSTER_OPERATION(space, type, and, __sync_fetch_and_and) \
  MUSTER_OPERATION(space, type, or, __sync_fetch_and_or) \
  MUSTER_OPERATION(space, type, xor, __sync_fetch_and_xor) \
  MUSTER_STEP(space, type, atomic) \
  MUSTER_STEP(space, type, atom)
#define MUSTER_STEP(space, type, word) \
  MUSTER type word##_inc(volatile space type *p) { return __sync_fetch_and_add(p, (type)1); } \
  MUSTER type word##_dec(volatile space type *p) { return __sync_fetch_and_sub(p, (type)1); } \
  MUSTER type word##_cmpxchg(volatile space type *p, type is, type v) { return __sync_val_compare_and_swap(p, is, v); }
#define MUSTER_BOUND(space, type, name, ptx) \
  MUSTER type muster_##name(volatile space type *p, type v) { \
    type old; \
    __asm volatile("atom" ptx " %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory"); \
    return old; \
  }
#define MUSTER_ATOMICS(space, ptx) \
  MUSTER_BOUND(space, long, least, ptx ".min.s64") \
  MUSTER_BOUND(space, long, most, ptx ".max.s64") \
  MUSTER_BOUND(space, ulong, least, ptx ".min.u64") \
  MUSTER_BOUND(space, ulong, most, ptx ".max.u64") \
  MUSTER_ATOMIC(space, int, __sync_fetch_and_min, __sync_fetch_and_max) \
  MUSTER_ATOMIC(space, uint, __sync_fetch_and_umin, __sync_fetch_and_umax) \
  MUSTER_ATOMIC(space, long, muster_least, muster_most) \
  MUSTER_ATOMIC(space, ulong, muster_least, muster_most) \
  MUSTER float atomic_xchg(volatile space float *p, float v) { return as_float(atomic_xchg((volatile space int *)p, as_int(v))); }
MUSTER_ATOMICS(global, ".global")
MUSTER_ATOMICS(local, ".shared")
#ifdef MUSTER_GENERIC
MUSTER_ATOMICS(generic, "")
#include "atomics2.h"
#endif

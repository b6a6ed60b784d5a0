// Atomic functions: relaxed, of the scope of the device, or of the one in their names.
#pragma once

typedef unsigned long long muster_u64;
#define MUSTER_SUM(name, scope, type, as, suffix) \
  MUSTER type atomicAdd##name(type *p, type v) { return __nvvm_atom_##scope##add_gen_##suffix((as *)p, v); }
#define MUSTER_BOUND(name, scope, type, suffix) \
  MUSTER type atomicMin##name(type *p, type v) { return __nvvm_atom_##scope##min_gen_##suffix(p, v); } \
  MUSTER type atomicMax##name(type *p, type v) { return __nvvm_atom_##scope##max_gen_##suffix(p, v); }
#define MUSTER_BITS(name, scope, type, as, suffix) \
  MUSTER type atomicExch##name(type *p, type v) { return __nvvm_atom_##scope##xchg_gen_##suffix((as *)p, v); } \
  MUSTER type atomicAnd##name(type *p, type v) { return __nvvm_atom_##scope##and_gen_##suffix((as *)p, v); } \
  MUSTER type atomicOr##name(type *p, type v) { return __nvvm_atom_##scope##or_gen_##suffix((as *)p, v); } \
  MUSTER type atomicXor##name(type *p, type v) { return __nvvm_atom_##scope##xor_gen_##suffix((as *)p, v); } \
  MUSTER type atomicCAS##name(type *p, type is, type v) { return __nvvm_atom_##scope##cas_gen_##suffix((as *)p, is, v); }
#define MUSTER_ATOMIC(name, scope) \
  MUSTER_SUM(name, scope, int, int, i) \
  MUSTER_SUM(name, scope, unsigned, int, i) \
  MUSTER_SUM(name, scope, muster_u64, long long, ll) \
  MUSTER_SUM(name, scope, float, float, f) \
  MUSTER_SUM(name, scope, double, double, d) \
  MUSTER_BOUND(name, scope, int, i) \
  MUSTER_BOUND(name, scope, unsigned, ui) \
  MUSTER_BOUND(name, scope, long long, ll) \
  MUSTER_BOUND(name, scope, muster_u64, ull) \
  MUSTER_BITS(name, scope, int, int, i) \
  MUSTER_BITS(name, scope, unsigned, int, i) \
  MUSTER_BITS(name, scope, muster_u64, long long, ll) \
  MUSTER int atomicSub##name(int *p, int v) { return __nvvm_atom_##scope##add_gen_i(p, -v); } \
  MUSTER unsigned atomicSub##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##add_gen_i((int *)p, -v); } \
  MUSTER unsigned atomicInc##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##inc_gen_ui(p, v); } \
  MUSTER unsigned atomicDec##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##dec_gen_ui(p, v); } \
  MUSTER float atomicExch##name(float *p, float v) { \
    return __builtin_bit_cast(float, __nvvm_atom_##scope##xchg_gen_i((int *)p, __builtin_bit_cast(int, v))); \
  }
#define MUSTER_SHORT(name, ptx) \
  MUSTER unsigned short atomicCAS##name(unsigned short *p, unsigned short is, unsigned short v) { \
    unsigned short old; \
    asm volatile("atom" ptx ".cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(is), "h"(v) : "memory"); \
    return old; \
  }
MUSTER_SHORT(, "")
MUSTER_SHORT(_block, ".cta")
MUSTER_SHORT(_system, ".sys")
MUSTER_ATOMIC(, )
MUSTER_ATOMIC(_block, cta_)
MUSTER_ATOMIC(_system, sys_)

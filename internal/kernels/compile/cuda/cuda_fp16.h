// Numbers of 16 bits: they are computed with as floats.
#pragma once
#include "cuda_runtime.h"

#define MUSTER_SMALL(type, two, to_float, from_float) \
  struct __attribute__((aligned(2))) type { \
    unsigned short bits; \
    type() = default; \
    MUSTER_MEMBER type(float v) : bits(from_float(v)) {} \
    MUSTER_MEMBER type(double v) : bits(from_float((float)v)) {} \
    MUSTER_MEMBER type(int v) : bits(from_float((float)v)) {} \
    __host__ type(float) noexcept; \
    MUSTER_MEMBER operator float() const { return to_float(bits); } \
  }; \
  struct __attribute__((aligned(4))) two { type x, y; }; \
  MUSTER_SMALL_OPERATOR(type, two, +, +=, __hadd, __hadd2) \
  MUSTER_SMALL_OPERATOR(type, two, -, -=, __hsub, __hsub2) \
  MUSTER_SMALL_OPERATOR(type, two, *, *=, __hmul, __hmul2) \
  MUSTER_SMALL_OPERATOR(type, two, /, /=, __hdiv, __h2div) \
  MUSTER_SMALL_COMPARE(type, <, __hlt) \
  MUSTER_SMALL_COMPARE(type, <=, __hle) \
  MUSTER_SMALL_COMPARE(type, >, __hgt) \
  MUSTER_SMALL_COMPARE(type, >=, __hge) \
  MUSTER_SMALL_COMPARE(type, ==, __heq) \
  MUSTER_SMALL_COMPARE(type, !=, __hne) \
  MUSTER type operator-(type a) { return type(-(float)a); } \
  MUSTER type __hmax(type a, type b) { return type(fmaxf(a, b)); } \
  MUSTER type __hmin(type a, type b) { return type(fminf(a, b)); } \
  MUSTER type __hfma(type a, type b, type c) { return type(fmaf(a, b, c)); } \
  MUSTER two __hfma2(two a, two b, two c) { return two{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
#define MUSTER_SMALL_OPERATOR(type, two, op, assign, name, name2) \
  MUSTER type operator op(type a, type b) { return type((float)a op(float) b); } \
  MUSTER type &operator assign(type &a, type b) { return a = a op b; } \
  MUSTER type name(type a, type b) { return a op b; } \
  MUSTER two name2(two a, two b) { return two{a.x op b.x, a.y op b.y}; } \
  MUSTER two operator op(two a, two b) { return name2(a, b); }
#define MUSTER_SMALL_COMPARE(type, op, name) \
  MUSTER bool operator op(type a, type b) { return (float)a op(float) b; } \
  MUSTER bool name(type a, type b) { return a op b; }

MUSTER float muster_half_to_float(unsigned short bits) {
  float v;
  asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
  return v;
}
MUSTER unsigned short muster_float_to_half(float v) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
  return bits;
}
MUSTER_SMALL(__half, __half2, muster_half_to_float, muster_float_to_half)
typedef __half half;
typedef __half2 half2;
MUSTER float __half2float(half v) { return v; }
MUSTER half __float2half(float v) { return half(v); }
MUSTER half __float2half_rn(float v) { return half(v); }
MUSTER half __int2half_rn(int v) { return half((float)v); }
MUSTER half2 __float2half2_rn(float v) { return half2{half(v), half(v)}; }
MUSTER half2 __floats2half2_rn(float x, float y) { return half2{half(x), half(y)}; }
MUSTER half2 __half2half2(half v) { return half2{v, v}; }
MUSTER half2 __halves2half2(half x, half y) { return half2{x, y}; }
MUSTER half2 make_half2(half x, half y) { return half2{x, y}; }
MUSTER half __low2half(half2 v) { return v.x; }
MUSTER half __high2half(half2 v) { return v.y; }
MUSTER float __low2float(half2 v) { return v.x; }
MUSTER float __high2float(half2 v) { return v.y; }
MUSTER float2 __half22float2(half2 v) { return float2{v.x, v.y}; }
MUSTER half hexp(half v) { return half(expf(v)); }
MUSTER half hlog(half v) { return half(logf(v)); }
MUSTER half hsqrt(half v) { return half(sqrtf(v)); }
MUSTER half hrcp(half v) { return half(1 / (float)v); }
MUSTER half atomicAdd(half *p, half v) {
  unsigned short old;
  asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.bits) : "memory");
  return __builtin_bit_cast(half, old);
}
MUSTER half2 atomicAdd(half2 *p, half2 v) {
  unsigned old;
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(__builtin_bit_cast(unsigned, v)) : "memory");
  return __builtin_bit_cast(half2, old);
}

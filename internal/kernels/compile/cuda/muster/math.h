// Mathematical functions of devices: PTX's own instructions where it has one, else functions of libdevice (its User's Guide),
// which muster knows by name.
#pragma once
#include "conversions.h"

#define MUSTER_ONE(name, f32, f64) \
  MUSTER float name##f(float x) { return f32; } \
  MUSTER float name(float x) { return f32; } \
  MUSTER double name(double x) { return f64; }
#define MUSTER_TWO(name, f32, f64) \
  MUSTER float name##f(float x, float y) { return f32; } \
  MUSTER float name(float x, float y) { return f32; } \
  MUSTER double name(double x, double y) { return f64; }
#define MUSTER_LIBRARY_ONE(name) \
  extern "C" __device__ float __nv_##name##f(float); \
  extern "C" __device__ double __nv_##name(double); \
  MUSTER_ONE(name, __nv_##name##f(x), __nv_##name(x))
#define MUSTER_LIBRARY_TWO(name) \
  extern "C" __device__ float __nv_##name##f(float, float); \
  extern "C" __device__ double __nv_##name(double, double); \
  MUSTER_TWO(name, __nv_##name##f(x, y), __nv_##name(x, y))

MUSTER_ONE(fabs, __builtin_fabsf(x), __builtin_fabs(x))
MUSTER_ONE(floor, __builtin_floorf(x), __builtin_floor(x))
MUSTER_ONE(ceil, __builtin_ceilf(x), __builtin_ceil(x))
MUSTER_ONE(trunc, __builtin_truncf(x), __builtin_trunc(x))
MUSTER_ONE(rint, __builtin_rintf(x), __builtin_rint(x))
MUSTER_ONE(sqrt, __builtin_sqrtf(x), __builtin_sqrt(x))
MUSTER_ONE(rsqrt, __nvvm_rsqrt_approx_f(x), __nvvm_rsqrt_approx_d(x))
MUSTER_TWO(fmin, __builtin_fminf(x, y), __builtin_fmin(x, y))
MUSTER_TWO(fmax, __builtin_fmaxf(x, y), __builtin_fmax(x, y))
MUSTER float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
MUSTER double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
MUSTER_LIBRARY_ONE(sin)
MUSTER_LIBRARY_ONE(cos)
MUSTER_LIBRARY_ONE(tan)
MUSTER_LIBRARY_ONE(sinpi)
MUSTER_LIBRARY_ONE(cospi)
MUSTER_LIBRARY_ONE(asin)
MUSTER_LIBRARY_ONE(acos)
MUSTER_LIBRARY_ONE(atan)
MUSTER_LIBRARY_ONE(sinh)
MUSTER_LIBRARY_ONE(cosh)
MUSTER_LIBRARY_ONE(tanh)
MUSTER_LIBRARY_ONE(exp)
MUSTER_LIBRARY_ONE(exp2)
MUSTER_LIBRARY_ONE(exp10)
MUSTER_LIBRARY_ONE(expm1)
MUSTER_LIBRARY_ONE(log)
MUSTER_LIBRARY_ONE(log2)
MUSTER_LIBRARY_ONE(log10)
MUSTER_LIBRARY_ONE(log1p)
MUSTER_LIBRARY_ONE(erf)
MUSTER_LIBRARY_ONE(erfc)
MUSTER_LIBRARY_ONE(cbrt)
MUSTER_LIBRARY_ONE(round)
MUSTER_LIBRARY_TWO(pow)
MUSTER_LIBRARY_TWO(atan2)
MUSTER_LIBRARY_TWO(fmod)
MUSTER_LIBRARY_TWO(hypot)
MUSTER_LIBRARY_TWO(copysign)

#define MUSTER_FAST(name) \
  extern "C" __device__ float __nv_fast_##name##f(float); \
  MUSTER float __##name##f(float x) { return __nv_fast_##name##f(x); }
MUSTER_FAST(sin)
MUSTER_FAST(cos)
MUSTER_FAST(tan)
MUSTER_FAST(exp)
MUSTER_FAST(exp10)
MUSTER_FAST(log)
MUSTER_FAST(log2)
MUSTER_FAST(log10)
extern "C" __device__ float __nv_fast_powf(float, float);
MUSTER float __powf(float x, float y) { return __nv_fast_powf(x, y); }
MUSTER float __fdividef(float x, float y) { return x / y; }
MUSTER float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
MUSTER float __frcp_rn(float x) { return 1 / x; }
MUSTER float __fadd_rn(float x, float y) { return __nvvm_add_rn_f(x, y); }
MUSTER float __fmul_rn(float x, float y) { return __nvvm_mul_rn_f(x, y); }
MUSTER float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0), 1); }

// min and max are of any two numbers: of the type that + has.
template <typename T, typename U> MUSTER_MAKE constexpr auto min(T a, U b) -> decltype(a + b) { return b < a ? b : a; }
template <typename T, typename U> MUSTER_MAKE constexpr auto max(T a, U b) -> decltype(a + b) { return a < b ? b : a; }
MUSTER int abs(int x) { return x < 0 ? -x : x; }
MUSTER long abs(long x) { return x < 0 ? -x : x; }
MUSTER long long abs(long long x) { return x < 0 ? -x : x; }
MUSTER float abs(float x) { return __builtin_fabsf(x); }
MUSTER double abs(double x) { return __builtin_fabs(x); }

MUSTER int __popc(unsigned x) { return __builtin_popcount(x); }
MUSTER int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
MUSTER int __clz(int x) { return x ? __builtin_clz(x) : 32; }
MUSTER int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
MUSTER int __ffs(int x) { return __builtin_ffs(x); }
MUSTER unsigned __fns(unsigned mask, unsigned base, int offset) {
  unsigned bit;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(bit) : "r"(mask), "r"(base), "r"(offset));
  return bit;
}
MUSTER int __ffsll(long long x) { return __builtin_ffsll(x); }
MUSTER unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
MUSTER unsigned __byte_perm(unsigned x, unsigned y, unsigned s) { return __nvvm_prmt(x, y, s); }
MUSTER int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
MUSTER unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
MUSTER int __mulhi(int a, int b) { return (long long)a * b >> 32; }
MUSTER unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
MUSTER int __dp4a(int a, int b, int c) {
  int sum;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}
MUSTER unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  unsigned sum;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}
MUSTER unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) { return ((unsigned long long)high << 32 | low) << (by & 31) >> 32; }
MUSTER unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) { return ((unsigned long long)high << 32 | low) >> (by & 31); }
MUSTER long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
MUSTER unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
MUSTER int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
MUSTER int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
MUSTER unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
MUSTER unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
MUSTER unsigned __sad(int a, int b, unsigned c) { return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c; }
MUSTER unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
MUSTER unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

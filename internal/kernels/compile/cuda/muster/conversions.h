// Conversions of numbers, by the way in which they round (CUDA Math API, "Type Casting Intrinsics"): to the nearest, toward zero, down, up.
#pragma once

#define MUSTER_CONVERT(name, to, from, ptx, reg_to, reg_from) \
  MUSTER to name(from x) { \
    to v; \
    asm("cvt." ptx " %0, %1;" : "=" reg_to(v) : reg_from(x)); \
    return v; \
  }
#define MUSTER_TO_WHOLE(name, to, from, ptx, reg_to, reg_from) \
  MUSTER_CONVERT(__##name##_rn, to, from, "rni." ptx, reg_to, reg_from) \
  MUSTER_CONVERT(__##name##_rz, to, from, "rzi." ptx, reg_to, reg_from) \
  MUSTER_CONVERT(__##name##_rd, to, from, "rmi." ptx, reg_to, reg_from) \
  MUSTER_CONVERT(__##name##_ru, to, from, "rpi." ptx, reg_to, reg_from)
#define MUSTER_TO_FLOAT(name, to, from, ptx, reg_to, reg_from) \
  MUSTER_CONVERT(__##name##_rn, to, from, "rn." ptx, reg_to, reg_from) \
  MUSTER_CONVERT(__##name##_rz, to, from, "rz." ptx, reg_to, reg_from) \
  MUSTER_CONVERT(__##name##_rd, to, from, "rm." ptx, reg_to, reg_from) \
  MUSTER_CONVERT(__##name##_ru, to, from, "rp." ptx, reg_to, reg_from)
MUSTER_TO_WHOLE(float2int, int, float, "s32.f32", "r", "f")
MUSTER_TO_WHOLE(float2uint, unsigned, float, "u32.f32", "r", "f")
MUSTER_TO_WHOLE(float2ll, long long, float, "s64.f32", "l", "f")
MUSTER_TO_WHOLE(float2ull, unsigned long long, float, "u64.f32", "l", "f")
MUSTER_TO_WHOLE(double2int, int, double, "s32.f64", "r", "d")
MUSTER_TO_WHOLE(double2uint, unsigned, double, "u32.f64", "r", "d")
MUSTER_TO_WHOLE(double2ll, long long, double, "s64.f64", "l", "d")
MUSTER_TO_WHOLE(double2ull, unsigned long long, double, "u64.f64", "l", "d")
MUSTER_TO_FLOAT(int2float, float, int, "f32.s32", "f", "r")
MUSTER_TO_FLOAT(uint2float, float, unsigned, "f32.u32", "f", "r")
MUSTER_TO_FLOAT(ll2float, float, long long, "f32.s64", "f", "l")
MUSTER_TO_FLOAT(ull2float, float, unsigned long long, "f32.u64", "f", "l")
MUSTER_TO_FLOAT(ll2double, double, long long, "f64.s64", "d", "l")
MUSTER_TO_FLOAT(ull2double, double, unsigned long long, "f64.u64", "d", "l")
MUSTER_TO_FLOAT(double2float, float, double, "f32.f64", "f", "d")
MUSTER double __int2double_rn(int x) { return x; }
MUSTER double __uint2double_rn(unsigned x) { return x; }

#define MUSTER_CAST(name, to, from) MUSTER to name(from x) { return __builtin_bit_cast(to, x); }
MUSTER_CAST(__int_as_float, float, int)
MUSTER_CAST(__float_as_int, int, float)
MUSTER_CAST(__uint_as_float, float, unsigned)
MUSTER_CAST(__float_as_uint, unsigned, float)
MUSTER_CAST(__longlong_as_double, double, long long)
MUSTER_CAST(__double_as_longlong, long long, double)
MUSTER int __double2loint(double x) { return (int)__double_as_longlong(x); }
MUSTER int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
MUSTER double __hiloint2double(int high, int low) { return __longlong_as_double((long long)high << 32 | (unsigned)low); }

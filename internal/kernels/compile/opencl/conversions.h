// Conversions (6.4.3): toward zero from floating point, and to what is nearest from integers. Those that name another way of rounding have no body.
#define MUSTER_CONVERT(from, to) \
  MUSTER to convert_##to(from x) { return (to)x; } \
  MUSTER_VECTORS(MUSTER_CONVERT_WIDE, from, to)
#define MUSTER_CONVERT_WIDE(n, from, to) \
  MUSTER to##n convert_##to##n(from##n x) { return __builtin_convertvector(x, to##n); }
#define MUSTER_TO(to) MUSTER_INTEGERS_TO(MUSTER_CONVERT, to) MUSTER_FLOATS_TO(MUSTER_CONVERT, to)
#define MUSTER_INTEGERS_TO(f, ...) \
  f(char, __VA_ARGS__) f(uchar, __VA_ARGS__) f(short, __VA_ARGS__) f(ushort, __VA_ARGS__) f(int, __VA_ARGS__) f(uint, __VA_ARGS__) f(long, __VA_ARGS__) f(ulong, __VA_ARGS__)
#ifdef cl_khr_fp64
#define MUSTER_FLOATS_TO(f, ...) f(float, __VA_ARGS__) f(double, __VA_ARGS__)
#else
#define MUSTER_FLOATS_TO(f, ...) f(float, __VA_ARGS__)
#endif
MUSTER_NUMBERS(MUSTER_TO)

// Saturated: what no number of the type is becomes the nearest that is one, and no number 0. PTX's conversions from floating point are so.
#define MUSTER_ROUND(to, from, ptx, reg) \
  MUSTER to muster_to_##to(from x) { \
    to v; \
    __asm("cvt.rzi." ptx " %0, %1;" : "=l"(v) : reg(x)); \
    return x != x ? 0 : v; \
  }
MUSTER_ROUND(long, float, "s64.f32", "f")
MUSTER_ROUND(ulong, float, "u64.f32", "f")
#ifdef cl_khr_fp64
MUSTER_ROUND(long, double, "s64.f64", "d")
MUSTER_ROUND(ulong, double, "u64.f64", "d")
#endif
#define MUSTER_WIDEN(s, u, ...) \
  MUSTER long muster_to_long(s x) { return x; } \
  MUSTER long muster_to_long(u x) { return (ulong)x > LONG_MAX ? LONG_MAX : (long)x; } \
  MUSTER ulong muster_to_ulong(s x) { return x > 0 ? (ulong)x : 0; } \
  MUSTER ulong muster_to_ulong(u x) { return x; }
MUSTER_SIGNED(MUSTER_WIDEN, )
#define MUSTER_SATURATE(from, to, wide, least, most) \
  MUSTER to convert_##to##_sat(from x) { return clamp(muster_to_##wide(x), (wide)(least), (wide)(most)); } \
  MUSTER_VECTORS(MUSTER_SATURATE_WIDE, from, to)
#define MUSTER_SATURATE_WIDE(n, from, to) \
  MUSTER to##n convert_##to##n##_sat(from##n x) { return (to##n)(MUSTER_MAP_##n(MUSTER_OF_1, convert_##to##_sat)); }
#define MUSTER_WITHIN(to, wide, least, most) \
  MUSTER_INTEGERS_TO(MUSTER_SATURATE, to, wide, least, most) MUSTER_FLOATS_TO(MUSTER_SATURATE, to, wide, least, most)
MUSTER_WITHIN(char, long, CHAR_MIN, CHAR_MAX)
MUSTER_WITHIN(uchar, long, 0, UCHAR_MAX)
MUSTER_WITHIN(short, long, SHRT_MIN, SHRT_MAX)
MUSTER_WITHIN(ushort, long, 0, USHRT_MAX)
MUSTER_WITHIN(int, long, INT_MIN, INT_MAX)
MUSTER_WITHIN(uint, long, 0, UINT_MAX)
MUSTER_WITHIN(long, long, LONG_MIN, LONG_MAX)
MUSTER_WITHIN(ulong, ulong, 0, ULONG_MAX)

// Two numbers as the halves of one of twice the bits (6.15.3).
#define MUSTER_UPSAMPLE(n, type, half, low, bits) \
  MUSTER type##n upsample(half##n x, low##n y) { return (type##n)(convert_##type##n(x) << (type##n)bits) | convert_##type##n(y); }
MUSTER_WIDTHS(MUSTER_UPSAMPLE, short, char, uchar, 8)
MUSTER_WIDTHS(MUSTER_UPSAMPLE, ushort, uchar, uchar, 8)
MUSTER_WIDTHS(MUSTER_UPSAMPLE, int, short, ushort, 16)
MUSTER_WIDTHS(MUSTER_UPSAMPLE, uint, ushort, ushort, 16)
MUSTER_WIDTHS(MUSTER_UPSAMPLE, long, int, uint, 32)
MUSTER_WIDTHS(MUSTER_UPSAMPLE, ulong, uint, uint, 32)

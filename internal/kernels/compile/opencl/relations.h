// Relations (6.15.6): of numbers they are 0 or 1, of vectors 0 or -1 in each component, where the highest bit is what counts.
#define MUSTER_COMPARE(n, type, whole) \
  MUSTER whole##n isequal(type##n x, type##n y) { return x == y; } \
  MUSTER whole##n isnotequal(type##n x, type##n y) { return x != y; } \
  MUSTER whole##n isgreater(type##n x, type##n y) { return x > y; } \
  MUSTER whole##n isgreaterequal(type##n x, type##n y) { return x >= y; } \
  MUSTER whole##n isless(type##n x, type##n y) { return x < y; } \
  MUSTER whole##n islessequal(type##n x, type##n y) { return x <= y; } \
  MUSTER whole##n islessgreater(type##n x, type##n y) { return (x < y) | (x > y); } \
  MUSTER whole##n isordered(type##n x, type##n y) { return (x == x) & (y == y); } \
  MUSTER whole##n isunordered(type##n x, type##n y) { return (x != x) | (y != y); } \
  MUSTER whole##n isnan(type##n x) { return x != x; }
// What the bits of a number say of it: as infinity has them, and the least that is normal.
#define MUSTER_CLASS(n, type, result, bits, infinity, normal) \
  MUSTER bits##n muster_size(type##n x) { return as_##bits##n(x) & ~((bits##n)1 << (bits##n)(8 * sizeof(bits) - 1)); } \
  MUSTER result##n isinf(type##n x) { return muster_size(x) == (bits##n)infinity; } \
  MUSTER result##n isfinite(type##n x) { return muster_size(x) < (bits##n)infinity; } \
  MUSTER result##n isnormal(type##n x) { return (muster_size(x) < (bits##n)infinity) & (muster_size(x) >= (bits##n)normal); } \
  MUSTER result##n signbit(type##n x) { return as_##bits##n(x) < (bits##n)0; }
MUSTER_WIDTHS(MUSTER_COMPARE, float, int)
MUSTER_WIDTHS(MUSTER_CLASS, float, int, int, 0x7f800000, 0x00800000)
#ifdef cl_khr_fp64
MUSTER_COMPARE(, double, int)
MUSTER_VECTORS(MUSTER_COMPARE, double, long)
MUSTER_CLASS(, double, int, long, 0x7ff0000000000000, 0x0010000000000000)
MUSTER_VECTORS(MUSTER_CLASS, double, long, long, 0x7ff0000000000000, 0x0010000000000000)
#endif

#define MUSTER_TRUTH(n, type) \
  MUSTER int any(type##n x) { return (type)(MUSTER_JOIN_##n(|)) < 0; } \
  MUSTER int all(type##n x) { return (type)(MUSTER_JOIN_##n(&)) < 0; }
MUSTER_WIDTHS(MUSTER_TRUTH, char)
MUSTER_WIDTHS(MUSTER_TRUTH, short)
MUSTER_WIDTHS(MUSTER_TRUTH, int)
MUSTER_WIDTHS(MUSTER_TRUTH, long)

// Of a number, select asks whether the last argument is 0, and of a vector for its highest bits: so does ?:.
#define MUSTER_SELECT(n, type, s, u) \
  MUSTER type##n select(type##n x, type##n y, s##n second) { return second ? y : x; } \
  MUSTER type##n select(type##n x, type##n y, u##n second) { return second ? y : x; } \
  MUSTER type##n bitselect(type##n x, type##n y, type##n second) { \
    return as_##type##n((u##n)((as_##u##n(x) & ~as_##u##n(second)) | (as_##u##n(y) & as_##u##n(second)))); \
  }
#define MUSTER_SELECTS(s, u, bits, ...) MUSTER_WIDTHS(MUSTER_SELECT, s, s, u) MUSTER_WIDTHS(MUSTER_SELECT, u, s, u)
MUSTER_SIGNED(MUSTER_SELECTS, )
MUSTER_WIDTHS(MUSTER_SELECT, float, int, uint)
#ifdef cl_khr_fp64
MUSTER_WIDTHS(MUSTER_SELECT, double, long, ulong)
#endif

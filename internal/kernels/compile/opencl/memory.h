// Vectors at elements of arrays, which need not be aligned (6.15.7): one access for each component.
#define MUSTER_LOAD(space, n, type) \
  MUSTER type##n vload##n(size_t i, const space type *p) { type##n v; for (int k = 0; k < n; k++) v[k] = p[n * i + k]; return v; }
#define MUSTER_STORE(space, n, type) \
  MUSTER void vstore##n(type##n v, size_t i, space type *p) { for (int k = 0; k < n; k++) p[n * i + k] = v[k]; }
#define MUSTER_IN_MEMORY(n, type) MUSTER_SPACES(MUSTER_LOAD, n, type) MUSTER_LOAD(constant, n, type) MUSTER_SPACES(MUSTER_STORE, n, type)
#define MUSTER_ELEMENTS(type) MUSTER_VECTORS(MUSTER_IN_MEMORY, type)
MUSTER_NUMBERS(MUSTER_ELEMENTS)

// Numbers of 16 bits, which are computed with as floats. In vectors of three that are aligned, they are as far apart as in those of four.
#define MUSTER_LOAD_HALF(space, ...) \
  MUSTER float vload_half(size_t i, const space half *p) { return __builtin_load_halff((const space __fp16 *)(p + i)); }
#define MUSTER_STORE_HALF(space, ...) \
  MUSTER void vstore_half(float v, size_t i, space half *p) { __builtin_store_halff(v, (space __fp16 *)(p + i)); } \
  MUSTER void vstore_half_rte(float v, size_t i, space half *p) { vstore_half(v, i, p); }
MUSTER_SPACES(MUSTER_LOAD_HALF, )
MUSTER_LOAD_HALF(constant, )
MUSTER_SPACES(MUSTER_STORE_HALF, )
#define MUSTER_LOAD_HALVES(space, n, a, apart) \
  MUSTER float##n vload##a##_half##n(size_t i, const space half *p) { float##n v; for (int k = 0; k < n; k++) v[k] = vload_half(apart * i + k, p); return v; }
#define MUSTER_STORE_HALVES(space, n, a, apart) \
  MUSTER void vstore##a##_half##n(float##n v, size_t i, space half *p) { for (int k = 0; k < n; k++) vstore_half(v[k], apart * i + k, p); }
#define MUSTER_HALVES(n, a, apart) \
  MUSTER_SPACES(MUSTER_LOAD_HALVES, n, a, apart) MUSTER_LOAD_HALVES(constant, n, a, apart) MUSTER_SPACES(MUSTER_STORE_HALVES, n, a, apart)
#define MUSTER_HALVES_OF(n, apart) MUSTER_HALVES(n, , n) MUSTER_HALVES(n, a, apart)
MUSTER_HALVES_OF(2, 2)
MUSTER_HALVES_OF(3, 4)
MUSTER_HALVES_OF(4, 4)
MUSTER_HALVES_OF(8, 8)
MUSTER_HALVES_OF(16, 16)

// Functions with a second result, which is stored (6.15.2).
#define MUSTER_SECOND(space, n, type) \
  MUSTER type##n fract(type##n x, space type##n *p) { *p = floor(x); return fmin(x - floor(x), (type##n)(sizeof(type) == 4 ? 0x1.fffffep-1f : 0x1.fffffffffffffp-1)); } \
  MUSTER type##n modf(type##n x, space type##n *p) { *p = trunc(x); return copysign(x - trunc(x), x); } \
  MUSTER type##n sincos(type##n x, space type##n *p) { *p = cos(x); return sin(x); } \
  MUSTER type##n frexp(type##n x, space int##n *p) { \
    int##n power = convert_int##n(x == (type##n)0) ? (int##n)0 : ilogb(x) + (int##n)1; \
    *p = power; \
    return ldexp(x, -power); \
  } \
  MUSTER type##n remquo(type##n x, type##n y, space int##n *p) { *p = convert_int##n(rint(x / y)); return remainder(x, y); } \
  MUSTER type##n lgamma_r(type##n x, space int##n *p) { *p = convert_int##n(tgamma(x) < (type##n)0) ? (int##n)-1 : (int##n)1; return lgamma(x); }
#define MUSTER_SECOND_OF(n, type) MUSTER_SPACES(MUSTER_SECOND, n, type)
#define MUSTER_SECONDS(type, ...) MUSTER_WIDTHS(MUSTER_SECOND_OF, type)
MUSTER_FLOATS(MUSTER_SECONDS)

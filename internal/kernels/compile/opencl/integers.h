// Functions of integers, of which indices are made (6.15.3), and those of order that floating point has, too.
#define MUSTER_ORDER(type) \
  MUSTER type min(type x, type y) { return y < x ? y : x; } \
  MUSTER type max(type x, type y) { return x < y ? y : x; } \
  MUSTER type clamp(type x, type low, type high) { return min(max(x, low), high); }
#define MUSTER_ORDER_WIDE(n, type) \
  MUSTER_ORDER(type##n) \
  MUSTER type##n min(type##n x, type y) { return min(x, (type##n)y); } \
  MUSTER type##n max(type##n x, type y) { return max(x, (type##n)y); } \
  MUSTER type##n clamp(type##n x, type low, type high) { return clamp(x, (type##n)low, (type##n)high); }
#define MUSTER_ORDERED(type) MUSTER_ORDER(type) MUSTER_VECTORS(MUSTER_ORDER_WIDE, type)
MUSTER_NUMBERS(MUSTER_ORDERED)

// Numbers of one type, which has so many bits: of either sign, with a sign, without.
#define MUSTER_BITS(n, type, u, bits) \
  MUSTER type##n hadd(type##n x, type##n y) { return (x & y) + ((x ^ y) >> (type##n)1); } \
  MUSTER type##n rhadd(type##n x, type##n y) { return (x | y) - ((x ^ y) >> (type##n)1); } \
  MUSTER u##n abs_diff(type##n x, type##n y) { return x > y ? (u##n)(as_##u##n(x) - as_##u##n(y)) : (u##n)(as_##u##n(y) - as_##u##n(x)); } \
  MUSTER type##n rotate(type##n x, type##n by) { \
    u##n v = as_##u##n(x), left = as_##u##n(by) & (u##n)(bits - 1), right = ((u##n)bits - left) & (u##n)(bits - 1); \
    return as_##type##n((u##n)(v << left | v >> right)); \
  }
#define MUSTER_SIGN(n, type, u, bits) \
  MUSTER_BITS(n, type, u, bits) \
  MUSTER u##n abs(type##n x) { return x < (type##n)0 ? (u##n)((u##n)0 - as_##u##n(x)) : as_##u##n(x); } \
  MUSTER type##n muster_most(type##n x) { return (type##n)(x >> (type##n)(bits - 1)) ^ (type##n)((u)-1 >> 1); } /* with its sign */ \
  MUSTER type##n add_sat(type##n x, type##n y) { \
    type##n sum = as_##type##n((u##n)(as_##u##n(x) + as_##u##n(y))); \
    return (type##n)((x ^ sum) & (y ^ sum)) < (type##n)0 ? muster_most(x) : sum; \
  } \
  MUSTER type##n sub_sat(type##n x, type##n y) { \
    type##n rest = as_##type##n((u##n)(as_##u##n(x) - as_##u##n(y))); \
    return (type##n)((x ^ y) & (x ^ rest)) < (type##n)0 ? muster_most(x) : rest; \
  }
#define MUSTER_NO_SIGN(n, type, bits) \
  MUSTER_BITS(n, type, type, bits) \
  MUSTER type##n abs(type##n x) { return x; } \
  MUSTER type##n add_sat(type##n x, type##n y) { return (type##n)(x + y) < x ? (type##n)-1 : (type##n)(x + y); } \
  MUSTER type##n sub_sat(type##n x, type##n y) { return x < y ? (type##n)0 : (type##n)(x - y); }
#define MUSTER_EITHER_SIGN(s, u, bits, ...) MUSTER_WIDTHS(MUSTER_SIGN, s, u, bits) MUSTER_WIDTHS(MUSTER_NO_SIGN, u, bits)
MUSTER_SIGNED(MUSTER_EITHER_SIGN, )

// Zeros and ones; and products, of which the upper half counts, or whether there is one.
#define MUSTER_COUNT(s, u, bits, ...) MUSTER_COUNT_OF(s, u, bits) MUSTER_COUNT_OF(u, u, bits)
#define MUSTER_COUNT_OF(type, u, bits) \
  MUSTER type popcount(type x) { return __builtin_popcountl((u)x); } \
  MUSTER type clz(type x) { return x ? __builtin_clzl((u)x) - (64 - bits) : bits; } \
  MUSTER type ctz(type x) { return x ? __builtin_ctzl((u)x) : bits; }
MUSTER_SIGNED(MUSTER_COUNT, )
#define MUSTER_PRODUCT(type, wide, bits) \
  MUSTER type mul_hi(type x, type y) { return (wide)x * (wide)y >> bits; } \
  MUSTER type mad_sat(type x, type y, type z) { \
    wide least = (type)-1 < 0 ? -(wide)1 << (bits - 1) : 0, most = (type)-1 < 0 ? ~least : ((wide)1 << bits) - 1; \
    return clamp((wide)x * (wide)y + (wide)z, least, most); \
  }
MUSTER_PRODUCT(char, long, 8)
MUSTER_PRODUCT(uchar, ulong, 8)
MUSTER_PRODUCT(short, long, 16)
MUSTER_PRODUCT(ushort, ulong, 16)
MUSTER_PRODUCT(int, long, 32)
MUSTER_PRODUCT(uint, ulong, 32)
#define MUSTER_HIGH(type, ptx) \
  MUSTER type mul_hi(type x, type y) { \
    type high; \
    __asm("mul.hi." ptx " %0, %1, %2;" : "=l"(high) : "l"(x), "l"(y)); \
    return high; \
  }
MUSTER_HIGH(long, "s64")
MUSTER_HIGH(ulong, "u64")
MUSTER long mad_sat(long x, long y, long z) {
  ulong low = (ulong)x * (ulong)y, sum = low + (ulong)z;
  long high = mul_hi(x, y) + (z >> 63) + (sum < low);
  return high == (long)sum >> 63 ? (long)sum : muster_most(high);
}
MUSTER ulong mad_sat(ulong x, ulong y, ulong z) {
  ulong low = x * y, sum = low + z;
  return mul_hi(x, y) > 0 || sum < low ? (ulong)-1 : sum;
}

#define MUSTER_WIDE(n, type) \
  MUSTER type##n popcount(type##n x) { return (type##n)(MUSTER_MAP_##n(MUSTER_OF_1, popcount)); } \
  MUSTER type##n clz(type##n x) { return (type##n)(MUSTER_MAP_##n(MUSTER_OF_1, clz)); } \
  MUSTER type##n ctz(type##n x) { return (type##n)(MUSTER_MAP_##n(MUSTER_OF_1, ctz)); } \
  MUSTER type##n mul_hi(type##n x, type##n y) { return (type##n)(MUSTER_MAP_##n(MUSTER_OF_2, mul_hi)); } \
  MUSTER type##n mad_sat(type##n x, type##n y, type##n z) { return (type##n)(MUSTER_MAP_##n(MUSTER_OF_3, mad_sat)); }
#define MUSTER_WIDER(type) MUSTER_VECTORS(MUSTER_WIDE, type)
MUSTER_INTEGERS(MUSTER_WIDER)
#define MUSTER_MAD_HI(n, type) \
  MUSTER type##n mad_hi(type##n x, type##n y, type##n z) { return mul_hi(x, y) + z; }
#define MUSTER_MADS(type) MUSTER_WIDTHS(MUSTER_MAD_HI, type)
MUSTER_INTEGERS(MUSTER_MADS)

#define MUSTER_24(n, type) \
  MUSTER type##n mul24(type##n x, type##n y) { return (x << 8 >> 8) * (y << 8 >> 8); } \
  MUSTER type##n mad24(type##n x, type##n y, type##n z) { return mul24(x, y) + z; }
MUSTER_WIDTHS(MUSTER_24, int)
MUSTER_WIDTHS(MUSTER_24, uint)

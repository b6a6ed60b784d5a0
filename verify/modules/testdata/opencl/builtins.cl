// What functions of integers, relations and conversions return (The OpenCL C Specification, 6.4.3, 6.15.3 and 6.15.6): numbers that are known,
// and equations that hold of all.
#define SAME(x, y) __assert(all((x) == (y)))

kernel void sums(int x, uint y) {
  __assert(abs(-5) == 5u && abs((char)-128) == 128 && abs(INT_MIN) == 0x80000000u && abs(y) == y);
  __assert(abs_diff(INT_MIN, INT_MAX) == 0xffffffffu && abs_diff((uchar)3, (uchar)250) == 247 && abs_diff(x, x) == 0);
  __assert(add_sat((char)100, (char)100) == 127 && add_sat((char)-100, (char)-100) == -128 && add_sat(INT_MAX, 1) == INT_MAX);
  __assert(add_sat((uchar)200, (uchar)100) == 255 && add_sat(UINT_MAX, 1u) == UINT_MAX && add_sat(LONG_MIN, -1L) == LONG_MIN);
  __assert(sub_sat((char)-100, (char)100) == -128 && sub_sat(3u, 5u) == 0 && sub_sat(INT_MIN, 1) == INT_MIN && sub_sat(9L, 5L) == 4);
  __assert(hadd(INT_MAX, INT_MAX) == INT_MAX && hadd(-3, 0) == -2 && rhadd(-3, 0) == -1 && rhadd(UINT_MAX, UINT_MAX) == UINT_MAX);
  __assert(hadd((uchar)255, (uchar)254) == 254 && rhadd((uchar)255, (uchar)254) == 255);
  __assert(add_sat(x, 0) == x && sub_sat(y, y) == 0 && hadd(x, x) == x && rhadd(y, y) == y);
  SAME(abs((int4)(-1, 2, INT_MIN, -4)), (uint4)(1, 2, 0x80000000u, 4));
  SAME(add_sat((char4)(100, -100, 1, 0), (char4)(100, -100, 2, 0)), (char4)(127, -128, 3, 0));
  SAME(sub_sat((ushort2)(3, 9), (ushort2)(5, 5)), (ushort2)(0, 4));
  SAME(abs_diff((short2)(-3, 4), (short2)(4, -3)), (ushort2)(7, 7));
}

kernel void products(int x) {
  __assert(mul_hi(INT_MAX, 2) == 0 && mul_hi(-1, 1) == -1 && mul_hi(UINT_MAX, UINT_MAX) == UINT_MAX - 1 && mul_hi((char)-128, (char)-128) == 64);
  __assert(mul_hi(1L << 62, 8L) == 2 && mul_hi(ULONG_MAX, 2ul) == 1 && mad_hi(1u << 31, 4u, 5u) == 7 && mul_hi(x, 0) == 0);
  __assert(mad_sat((char)10, (char)10, (char)100) == 127 && mad_sat((uchar)20, (uchar)20, (uchar)0) == 255 && mad_sat(INT_MIN, 2, 5) == INT_MIN);
  __assert(mad_sat(LONG_MAX, 2L, 0L) == LONG_MAX && mad_sat(LONG_MIN, 2L, 1L) == LONG_MIN && mad_sat(3L, -4L, 2L) == -10 && mad_sat(ULONG_MAX, 1ul, 1ul) == ULONG_MAX);
  __assert(mad_sat(LONG_MAX, 1L, 1L) == LONG_MAX && mad_sat(LONG_MIN, 1L, -1L) == LONG_MIN && mad_sat(UINT_MAX, UINT_MAX, UINT_MAX) == UINT_MAX);
  __assert(mul24(-3, 5) == -15 && mad24(1000u, 1000u, 1u) == 1000001u);
  SAME(mul_hi((uint2)(1u << 31, 3), (uint2)(4, 5)), (uint2)(2, 0));
  SAME(mad_sat((char2)(10, 1), (char2)(20, 2), (char2)(0, 3)), (char2)(127, 5));
  SAME(mad24((int2)(2, 3), (int2)(4, 5), (int2)(1, 1)), (int2)(9, 16));
}

kernel void bits(uint x, int by) {
  __assert(rotate(0x80000001u, 1u) == 3 && rotate((uchar)0x81, (uchar)9) == 3 && rotate((short)0x1234, (short)4) == 0x2341 && rotate(x, 0u) == x);
  __assert(rotate(1, -1) == INT_MIN && rotate(rotate(x, 7u), 25u) == x && rotate(5L, 64L) == 5);
  __assert(clz(0) == 32 && clz((char)1) == 7 && clz((char)-1) == 0 && clz((ushort)0) == 16 && clz(1L) == 63 && ctz(8u) == 3 && ctz((uchar)0) == 8);
  __assert(popcount(-1) == 32 && popcount((char)-1) == 8 && popcount(0x5555ul) == 8);
  __assert(upsample((char)-1, (uchar)2) == -254 && upsample(1u, 2u) == 0x100000002ul && upsample((ushort)0xffff, (ushort)1) == 0xffff0001u);
  SAME(clz((int2)(1, 0)), (int2)(31, 32));
  SAME(popcount((uchar4)(1, 3, 7, 255)), (uchar4)(1, 2, 3, 8));
  SAME(rotate((char2)(-127, 1), (char2)(1, 2)), (char2)(3, 4));
  SAME(upsample((short2)(1, -1), (ushort2)(2, 0)), (int2)(0x10002, -65536));
  __assert(rotate((int2)(by, by), (int2)(0, 0)).y == by);
}

kernel void choices(int x, int y) {
  __assert(select(1, 2, 0) == 1 && select(1, 2, 1) == 2 && select(1, 2, 4u) == 2 && bitselect(0xf0, 0x0f, 0x3c) == 0xcc);
  SAME(select((int2)(1, 2), (int2)(3, 4), (int2)(1, -1)), (int2)(1, 4));
  SAME(select((uchar2)(1, 2), (uchar2)(3, 4), (uchar2)(0x7f, 0x80)), (uchar2)(1, 4));
  __assert(any((int2)(0, -1)) && !any((int2)(1, 2)) && all((char4)(-1)) && !all((char4)(-1, -1, 1, -1)) && any(-1) && !all(1));
  __assert(min(x, y) <= max(x, y) && clamp(x, -3, 7) >= -3 && clamp(x, -3, 7) <= 7 && min(3.0, 4.0) < max(3.0f, 4.0f));
  __assert(min((uint2)(1, 5), 3u).y == 3 && max((char4)(-1), (char)0).w == 0);
}

kernel void conversions(uint x, int y) {
  __assert(convert_int(x) == (int)x && convert_char_sat(300) == 127 && convert_char_sat(-300) == -128 && convert_uchar_sat(-1) == 0 && convert_uchar(257) == 1);
  __assert(convert_int_sat(UINT_MAX) == INT_MAX && convert_uint_sat(-1L) == 0 && convert_uint_sat(ULONG_MAX) == UINT_MAX && convert_long_sat(ULONG_MAX) == LONG_MAX);
  __assert(convert_ulong_sat(-1) == 0 && convert_short_sat((ushort)40000) == 32767 && convert_int_sat(y) == y && convert_ushort_sat(70000) == 65535);
  SAME(convert_char4_sat((int4)(1, -300, 300, -1)), (char4)(1, -128, 127, -1));
  SAME(convert_int2((uchar2)(255, 1)), (int2)(255, 1));
  SAME(convert_uint2_sat((int2)(-1, 7)), (uint2)(0, 7));
  __assert(as_int(x) == (int)x && as_uchar4(x).x == (uchar)x);
}

kernel void places() {
  __assert(get_local_linear_id() == get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
  __assert(get_global_linear_id() == get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2)));
}

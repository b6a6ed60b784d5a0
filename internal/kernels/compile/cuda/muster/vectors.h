// Vector types: up to four values in a structure, aligned as one (CUDA C++ Programming Guide, "Built-in Vector Types").
#pragma once

#define MUSTER_VECTOR(name, of, size) \
  struct name##1 { of x; }; \
  struct __attribute__((aligned(2 * size))) name##2 { of x, y; }; \
  MUSTER_VECTOR_##name(name, of) \
  struct __attribute__((aligned(4 * size > 16 ? 16 : 4 * size))) name##4 { of x, y, z, w; }; \
  MUSTER_MAKE name##1 make_##name##1(of x) { return name##1{x}; } \
  MUSTER_MAKE name##2 make_##name##2(of x, of y) { return name##2{x, y}; } \
  MUSTER_MAKE name##3 make_##name##3(of x, of y, of z) { return name##3{x, y, z}; } \
  MUSTER_MAKE name##4 make_##name##4(of x, of y, of z, of w) { return name##4{x, y, z, w}; }
#define MUSTER_THREE(name, of) struct name##3 { of x, y, z; };
#define MUSTER_VECTOR_char MUSTER_THREE
#define MUSTER_VECTOR_uchar MUSTER_THREE
#define MUSTER_VECTOR_short MUSTER_THREE
#define MUSTER_VECTOR_ushort MUSTER_THREE
#define MUSTER_VECTOR_int MUSTER_THREE
#define MUSTER_VECTOR_uint(name, of) // it is what places of threads are
#define MUSTER_VECTOR_long MUSTER_THREE
#define MUSTER_VECTOR_ulong MUSTER_THREE
#define MUSTER_VECTOR_longlong MUSTER_THREE
#define MUSTER_VECTOR_ulonglong MUSTER_THREE
#define MUSTER_VECTOR_float MUSTER_THREE
#define MUSTER_VECTOR_double MUSTER_THREE
MUSTER_VECTOR(char, signed char, 1)
MUSTER_VECTOR(uchar, unsigned char, 1)
MUSTER_VECTOR(short, short, 2)
MUSTER_VECTOR(ushort, unsigned short, 2)
MUSTER_VECTOR(int, int, 4)
MUSTER_VECTOR(uint, unsigned, 4)
MUSTER_VECTOR(long, long, 8)
MUSTER_VECTOR(ulong, unsigned long, 8)
MUSTER_VECTOR(longlong, long long, 8)
MUSTER_VECTOR(ulonglong, unsigned long long, 8)
MUSTER_VECTOR(float, float, 4)
MUSTER_VECTOR(double, double, 8)

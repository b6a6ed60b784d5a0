// OpenCL C without a library: muster has clang include this before a kernel. It has what The OpenCL C Specification, 6.15, says of work items,
// atomics, vectors in memory, integers and relations, in terms of PTX; what barriers and copies mean stays a call, which muster knows. Functions
// are static, so those that a kernel does not call are not in its PTX, and they have the lines of their calls.
#define MUSTER static inline __attribute__((overloadable, always_inline, nodebug))

// Types, and what is said of each: MUSTER_WIDTHS(f, …) is f(n, …) of the number and of vectors of n.
#define MUSTER_WIDTHS(f, ...) f(, __VA_ARGS__) MUSTER_VECTORS(f, __VA_ARGS__)
#define MUSTER_VECTORS(f, ...) f(2, __VA_ARGS__) f(3, __VA_ARGS__) f(4, __VA_ARGS__) f(8, __VA_ARGS__) f(16, __VA_ARGS__)
#define MUSTER_SIGNED(f, ...) f(char, uchar, 8, __VA_ARGS__) f(short, ushort, 16, __VA_ARGS__) f(int, uint, 32, __VA_ARGS__) f(long, ulong, 64, __VA_ARGS__)
#define MUSTER_INTEGERS(f) f(char) f(uchar) f(short) f(ushort) f(int) f(uint) f(long) f(ulong)
#ifdef cl_khr_fp64
#define MUSTER_FLOATS(f) f(float, int) f(double, long)
#define MUSTER_NUMBERS(f) MUSTER_INTEGERS(f) f(float) f(double)
#else
#define MUSTER_FLOATS(f) f(float, int)
#define MUSTER_NUMBERS(f) MUSTER_INTEGERS(f) f(float)
#endif

// The spaces that a pointer may lead to, if one may write there.
#if defined(__OPENCL_CPP_VERSION__) || __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_generic_address_space)
#define MUSTER_GENERIC 1
#define MUSTER_SPACES(f, ...) f(global, __VA_ARGS__) f(local, __VA_ARGS__) f(private, __VA_ARGS__) f(generic, __VA_ARGS__)
#else
#define MUSTER_SPACES(f, ...) f(global, __VA_ARGS__) f(local, __VA_ARGS__) f(private, __VA_ARGS__)
#endif

// The components of vectors: a function of each, and an operation on all of them.
#define MUSTER_OF_1(each, k) each(x.s##k)
#define MUSTER_OF_2(each, k) each(x.s##k, y.s##k)
#define MUSTER_OF_3(each, k) each(x.s##k, y.s##k, z.s##k)
#define MUSTER_MAP_2(of, each) of(each, 0), of(each, 1)
#define MUSTER_MAP_3(of, each) MUSTER_MAP_2(of, each), of(each, 2)
#define MUSTER_MAP_4(of, each) MUSTER_MAP_3(of, each), of(each, 3)
#define MUSTER_MAP_8(of, each) MUSTER_MAP_4(of, each), of(each, 4), of(each, 5), of(each, 6), of(each, 7)
#define MUSTER_MAP_16(of, each) MUSTER_MAP_8(of, each), of(each, 8), of(each, 9), of(each, a), of(each, b), of(each, c), of(each, d), of(each, e), of(each, f)
#define MUSTER_JOIN_(op) x
#define MUSTER_JOIN_2(op) x.s0 op x.s1
#define MUSTER_JOIN_3(op) MUSTER_JOIN_2(op) op x.s2
#define MUSTER_JOIN_4(op) MUSTER_JOIN_3(op) op x.s3
#define MUSTER_JOIN_8(op) MUSTER_JOIN_4(op) op x.s4 op x.s5 op x.s6 op x.s7
#define MUSTER_JOIN_16(op) MUSTER_JOIN_8(op) op x.s8 op x.s9 op x.sa op x.sb op x.sc op x.sd op x.se op x.sf

#include "places.h"
#include "integers.h"
#include "relations.h"
#include "conversions.h"
#include "memory.h"
#include "atomics.h"
#include "../annotations.h"

// In C99, a function that is inline and not static has no body but where it is called: always put there, none is lost.
#define inline inline __attribute__((always_inline))
#define __inline __inline __attribute__((always_inline))
#define __inline__ __inline__ __attribute__((always_inline))

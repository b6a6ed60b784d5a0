// The C library: what nvcc includes, and sources take for granted. Its functions are the host's; those that kernels call are
// declared for devices, too, which are others to clang, and before it: the C++ library passes on what it finds then.
#pragma once

template <typename... T> MUSTER int printf(const char *, T...) { return 0; } // it touches nothing that threads share
extern "C" __device__ void __assert_fail(const char *what, const char *file, unsigned line, const char *function) __attribute__((nothrow));
extern "C" __device__ void *malloc(size_t) __attribute__((nothrow));
extern "C" __device__ void free(void *) __attribute__((nothrow));
extern "C" {
MUSTER void *memcpy(void *to, const void *from, size_t n) { return __builtin_memcpy(to, from, n); }
MUSTER void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
MUSTER void *memset(void *to, int byte, size_t n) { return __builtin_memset(to, byte, n); }
}
#define MUSTER_HAS(header) __has_include(header)
#if MUSTER_HAS(<stdlib.h>)
#include <stdlib.h>
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#else
#define assert(x) __assert(x)
#endif

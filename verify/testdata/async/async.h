// What the kernels of this folder need: copies that a thread makes while it goes on, and matrices that a warp moves, as
// inline assembly, which is how headers of CUDA have them.
#pragma once
#include "../kernels/kernels.h"

#define INLINE static inline __attribute__((always_inline)) __device__

typedef unsigned short half;
typedef unsigned int uint;

// shared is an address in shared memory, of 32 bits.
INLINE uint shared(const void *p) { return (uint)(unsigned long long)(const __attribute__((address_space(3))) void *)p; }

INLINE void copy4(void *to, const void *from) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared(to)), "l"(from) : "memory"); }
INLINE void copy16(void *to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(to)), "l"(from) : "memory"); }
INLINE void copy16(void *to, const void *from, int bytes) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared(to)), "l"(from), "r"(bytes) : "memory"); }
INLINE void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n> INLINE void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory"); }
INLINE void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

INLINE void load_rows(uint (&r)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared(row)) : "memory");
}
INLINE void load_columns(uint (&r)[2], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(shared(row)) : "memory");
}
INLINE void store_rows(void *row, const uint (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared(row)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
}
INLINE void multiply(float (&d)[4], const uint (&a)[4], const uint (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

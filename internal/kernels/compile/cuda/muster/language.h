// Threads, barriers, fences.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ // all calls are executed in place; and libstdc++ has it as the name of an attribute
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __CUDACC__ 1
#define MUSTER_MAKE __attribute__((always_inline, nodebug)) static inline __host__ __device__
#define MUSTER_MEMBER __attribute__((always_inline, nodebug)) __device__
#define MUSTER static inline MUSTER_MEMBER

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
#define MUSTER_AXIS(axis, read) \
  __declspec(property(get = get_##axis)) unsigned axis; \
  MUSTER unsigned get_##axis() { return read; }
#define MUSTER_PLACE(type, name, part) \
  struct type { \
    MUSTER_AXIS(x, __nvvm_read_ptx_sreg_##part##_x()) \
    MUSTER_AXIS(y, __nvvm_read_ptx_sreg_##part##_y()) \
    MUSTER_AXIS(z, __nvvm_read_ptx_sreg_##part##_z()) \
    __device__ operator uint3() const { return uint3{get_x(), get_y(), get_z()}; } \
    __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); } \
  }; \
  extern const __device__ type name;
MUSTER_PLACE(muster_threadIdx, threadIdx, tid)
MUSTER_PLACE(muster_blockIdx, blockIdx, ctaid)
MUSTER_PLACE(muster_blockDim, blockDim, ntid)
MUSTER_PLACE(muster_gridDim, gridDim, nctaid)
static constexpr int warpSize = 32;

// __syncthreads is a function of clang.
MUSTER int __syncthreads_count(int holds) { return __nvvm_bar0_popc(holds); }
MUSTER int __syncthreads_and(int holds) { return __nvvm_bar0_and(holds); }
MUSTER int __syncthreads_or(int holds) { return __nvvm_bar0_or(holds); }
MUSTER void __threadfence() { __nvvm_membar_gl(); }
MUSTER void __threadfence_block() { __nvvm_membar_cta(); }
MUSTER void __threadfence_system() { __nvvm_membar_sys(); }

MUSTER void __trap() { __builtin_trap(); }
MUSTER void __brkpt() {}
MUSTER void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
MUSTER long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
MUSTER int clock() { return __nvvm_read_ptx_sreg_clock(); }

// __ldg is no load as others are: nobody may write what it loads while the kernel runs.
template <unsigned bytes> struct muster_read_only;
#define MUSTER_READ_ONLY(bytes, type, letter, load) \
  template <> struct muster_read_only<bytes> { \
    type word; \
    MUSTER_MEMBER muster_read_only(const void *p) { asm volatile("ld.global.nc." load " %0, [%1];" : "=" letter(word) : "l"(p)); } \
  };
MUSTER_READ_ONLY(1, unsigned short, "h", "u8")
MUSTER_READ_ONLY(2, unsigned short, "h", "u16")
MUSTER_READ_ONLY(4, unsigned, "r", "u32")
MUSTER_READ_ONLY(8, unsigned long long, "l", "u64")
template <> struct muster_read_only<16> {
  unsigned long long words[2];
  MUSTER_MEMBER muster_read_only(const void *p) {
    asm volatile("ld.global.nc.v2.u64 {%0, %1}, [%2];" : "=l"(words[0]), "=l"(words[1]) : "l"(p));
  }
};
template <typename T> MUSTER T __ldg(const T *p) {
  muster_read_only<sizeof(T)> loaded(p);
  T value;
  __builtin_memcpy((void *)&value, &loaded, sizeof value);
  return value;
}

#define MUSTER_CACHED_LOAD(name) template <typename T> MUSTER T name(const T *p) { return *p; }
#define MUSTER_CACHED_STORE(name) template <typename T> MUSTER void name(T *p, T v) { *p = v; }
MUSTER_CACHED_LOAD(__ldca)
MUSTER_CACHED_LOAD(__ldcg)
MUSTER_CACHED_LOAD(__ldcs)
MUSTER_CACHED_LOAD(__ldlu)
MUSTER_CACHED_STORE(__stwb)
MUSTER_CACHED_STORE(__stcg)
MUSTER_CACHED_STORE(__stcs)
MUSTER_CACHED_STORE(__stwt)

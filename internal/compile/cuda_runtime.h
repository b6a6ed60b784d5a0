// What CUDA C++ has of threads, barriers, atomics and warps (CUDA C++ Programming Guide, "C++ Language Extensions"), in
// terms of PTX: muster has clang include it before a kernel where CUDA's own headers are not installed. Functions are
// inline, so those that a kernel does not call are not in its PTX, and have the lines of their calls.
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
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define MUSTER static inline __attribute__((always_inline, nodebug)) __device__

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
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
#define warpSize 32

#define MUSTER_VECTOR(type, of, size) \
  struct __attribute__((aligned(2 * size))) type##2 { of x, y; }; \
  struct type##3 { of x, y, z; }; \
  struct __attribute__((aligned(4 * size > 16 ? 16 : 4 * size))) type##4 { of x, y, z, w; }; \
  MUSTER type##2 make_##type##2(of x, of y) { return type##2{x, y}; } \
  MUSTER type##4 make_##type##4(of x, of y, of z, of w) { return type##4{x, y, z, w}; }
MUSTER_VECTOR(char, signed char, 1)
MUSTER_VECTOR(uchar, unsigned char, 1)
MUSTER_VECTOR(short, short, 2)
MUSTER_VECTOR(ushort, unsigned short, 2)
MUSTER_VECTOR(int, int, 4)
MUSTER_VECTOR(float, float, 4)
MUSTER_VECTOR(double, double, 8)

// __syncthreads is a function of clang.
MUSTER int __syncthreads_count(int holds) { return __nvvm_bar0_popc(holds); }
MUSTER int __syncthreads_and(int holds) { return __nvvm_bar0_and(holds); }
MUSTER int __syncthreads_or(int holds) { return __nvvm_bar0_or(holds); }
MUSTER void __threadfence() { __nvvm_membar_gl(); }
MUSTER void __threadfence_block() { __nvvm_membar_cta(); }
MUSTER void __threadfence_system() { __nvvm_membar_sys(); }

typedef unsigned long long muster_u64;
#define MUSTER_ATOMIC(name, scope) \
  MUSTER int atomicAdd##name(int *p, int v) { return __nvvm_atom_##scope##add_gen_i(p, v); } \
  MUSTER unsigned atomicAdd##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##add_gen_i((int *)p, v); } \
  MUSTER muster_u64 atomicAdd##name(muster_u64 *p, muster_u64 v) { return __nvvm_atom_##scope##add_gen_ll((long long *)p, v); } \
  MUSTER float atomicAdd##name(float *p, float v) { return __nvvm_atom_##scope##add_gen_f(p, v); } \
  MUSTER int atomicSub##name(int *p, int v) { return __nvvm_atom_##scope##add_gen_i(p, -v); } \
  MUSTER unsigned atomicSub##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##add_gen_i((int *)p, -v); } \
  MUSTER unsigned atomicInc##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##inc_gen_ui(p, v); } \
  MUSTER unsigned atomicDec##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##dec_gen_ui(p, v); } \
  MUSTER int atomicMin##name(int *p, int v) { return __nvvm_atom_##scope##min_gen_i(p, v); } \
  MUSTER unsigned atomicMin##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##min_gen_ui(p, v); } \
  MUSTER int atomicMax##name(int *p, int v) { return __nvvm_atom_##scope##max_gen_i(p, v); } \
  MUSTER unsigned atomicMax##name(unsigned *p, unsigned v) { return __nvvm_atom_##scope##max_gen_ui(p, v); } \
  MUSTER int atomicCAS##name(int *p, int is, int v) { return __nvvm_atom_##scope##cas_gen_i(p, is, v); } \
  MUSTER unsigned atomicCAS##name(unsigned *p, unsigned is, unsigned v) { return __nvvm_atom_##scope##cas_gen_i((int *)p, is, v); } \
  MUSTER muster_u64 atomicCAS##name(muster_u64 *p, muster_u64 is, muster_u64 v) { return __nvvm_atom_##scope##cas_gen_ll((long long *)p, is, v); } \
  MUSTER_ATOMIC_OF(name, scope, int, int, i) \
  MUSTER_ATOMIC_OF(name, scope, unsigned, int, i) \
  MUSTER_ATOMIC_OF(name, scope, muster_u64, long long, ll)
#define MUSTER_ATOMIC_OF(name, scope, type, as, suffix) \
  MUSTER type atomicExch##name(type *p, type v) { return __nvvm_atom_##scope##xchg_gen_##suffix((as *)p, v); } \
  MUSTER type atomicAnd##name(type *p, type v) { return __nvvm_atom_##scope##and_gen_##suffix((as *)p, v); } \
  MUSTER type atomicOr##name(type *p, type v) { return __nvvm_atom_##scope##or_gen_##suffix((as *)p, v); } \
  MUSTER type atomicXor##name(type *p, type v) { return __nvvm_atom_##scope##xor_gen_##suffix((as *)p, v); }
MUSTER_ATOMIC(, )
MUSTER_ATOMIC(_block, cta_)
MUSTER_ATOMIC(_system, sys_)

// What lanes of a warp do together, as PTX: clang has it from PTX 6.0 on only, and takes an older one without CUDA.
MUSTER void __syncwarp(unsigned mask = 0xffffffff) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
#define MUSTER_SHUFFLE(name, mode, bound) \
  MUSTER int name(unsigned mask, int value, int by, int width = 32) { \
    int result; \
    asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(value), "r"(by), "r"((32 - width) << 8 | bound), "r"(mask)); \
    return result; \
  } \
  MUSTER unsigned name(unsigned mask, unsigned value, int by, int width = 32) { return name(mask, (int)value, by, width); } \
  MUSTER float name(unsigned mask, float value, int by, int width = 32) { \
    return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(int, value), by, width)); \
  }
MUSTER_SHUFFLE(__shfl_sync, "idx", 31)
MUSTER_SHUFFLE(__shfl_up_sync, "up", 0)
MUSTER_SHUFFLE(__shfl_down_sync, "down", 31)
MUSTER_SHUFFLE(__shfl_xor_sync, "bfly", 31)
#define MUSTER_VOTE(type, name, result, mode) \
  MUSTER type name(unsigned mask, int holds) { \
    unsigned all; \
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; " result(mode) " }" : "=r"(all) : "r"(holds), "r"(mask)); \
    return all; \
  }
#define MUSTER_BITS(mode) "vote.sync." mode ".b32 %0, p, %2;"
#define MUSTER_TRUTH(mode) "vote.sync." mode ".pred q, p, %2; selp.s32 %0, 1, 0, q;"
MUSTER_VOTE(unsigned, __ballot_sync, MUSTER_BITS, "ballot")
MUSTER_VOTE(int, __any_sync, MUSTER_TRUTH, "any")
MUSTER_VOTE(int, __all_sync, MUSTER_TRUTH, "all")

template <typename T> MUSTER T __ldg(const T *p) { return *p; }
template <typename T> MUSTER T min(T a, T b) { return b < a ? b : a; }
template <typename T> MUSTER T max(T a, T b) { return a < b ? b : a; }
MUSTER int __popc(unsigned x) { return __builtin_popcount(x); }
MUSTER int __clz(int x) { return x ? __builtin_clz(x) : 32; }
MUSTER int __ffs(int x) { return __builtin_ffs(x); }
MUSTER int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
MUSTER unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }

// What host code calls: it is read, and not compiled.
typedef int cudaError_t;
typedef struct muster_stream *cudaStream_t;
typedef struct muster_event *cudaEvent_t;
enum { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
template <typename T> cudaError_t cudaMalloc(T **p, size_t bytes);
template <typename T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = 1);
template <typename T> cudaError_t cudaMallocHost(T **p, size_t bytes);
template <typename T> cudaError_t cudaMemcpyToSymbol(const T &to, const void *from, size_t bytes);
template <typename T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &from, size_t bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemset(void *p, int value, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t e);
cudaError_t cudaStreamCreate(cudaStream_t *s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaEventCreate(cudaEvent_t *e);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventDestroy(cudaEvent_t e);

extern "C" __device__ void __assert(bool);
#undef assert
#define assert(x) __assert(x)

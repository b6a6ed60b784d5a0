// What the CUDA kernels of this folder need of CUDA, for compilers that are given no CUDA headers
// (clang -nocudainc), and the annotations that reach PTX as calls.
#pragma once

#if defined(__CUDACC_RTC__) || defined(__NVCC__) // they know CUDA
#define EXTERN extern "C" __device__
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define EXTERN extern "C" __device__

#define MEMBER(axis, read) \
  __declspec(property(get = get_##axis)) unsigned axis; \
  static inline __attribute__((always_inline)) __device__ unsigned get_##axis() { return read; }
struct ThreadIdx {
  MEMBER(x, __nvvm_read_ptx_sreg_tid_x())
  MEMBER(y, __nvvm_read_ptx_sreg_tid_y())
  MEMBER(z, __nvvm_read_ptx_sreg_tid_z())
};
struct BlockIdx {
  MEMBER(x, __nvvm_read_ptx_sreg_ctaid_x())
  MEMBER(y, __nvvm_read_ptx_sreg_ctaid_y())
  MEMBER(z, __nvvm_read_ptx_sreg_ctaid_z())
};
struct BlockDim {
  MEMBER(x, __nvvm_read_ptx_sreg_ntid_x())
  MEMBER(y, __nvvm_read_ptx_sreg_ntid_y())
  MEMBER(z, __nvvm_read_ptx_sreg_ntid_z())
};
struct GridDim {
  MEMBER(x, __nvvm_read_ptx_sreg_nctaid_x())
  MEMBER(y, __nvvm_read_ptx_sreg_nctaid_y())
  MEMBER(z, __nvvm_read_ptx_sreg_nctaid_z())
};
#define threadIdx (ThreadIdx())
#define blockIdx (BlockIdx())
#define blockDim (BlockDim())
#define gridDim (GridDim())

struct __attribute__((aligned(16))) int4 { int x, y, z, w; };
struct __attribute__((aligned(8))) float2 { float x, y; };
struct __attribute__((aligned(4))) uchar4 { unsigned char x, y, z, w; };

static inline __attribute__((always_inline)) __device__ int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
static inline __attribute__((always_inline)) __device__ int atomicAdd_block(int *p, int v) { return __nvvm_atom_cta_add_gen_i(p, v); }
static inline __attribute__((always_inline)) __device__ int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
static inline __attribute__((always_inline)) __device__ int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
static inline __attribute__((always_inline)) __device__ int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
static inline __attribute__((always_inline)) __device__ void __threadfence() { __nvvm_membar_gl(); }

// What lanes of a warp do together, as PTX: clang has it from PTX 6.0 on only, and takes an older one without CUDA.
static inline __attribute__((always_inline)) __device__ void __syncwarp(unsigned mask) {
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
#define SHUFFLE(name, mode) \
  static inline __attribute__((always_inline)) __device__ int name(unsigned mask, int value, int by) { \
    int result; \
    asm volatile("shfl.sync." mode ".b32 %0, %1, %2, 31, %3;" : "=r"(result) : "r"(value), "r"(by), "r"(mask)); \
    return result; \
  }
SHUFFLE(__shfl_sync, "idx")
SHUFFLE(__shfl_down_sync, "down")
SHUFFLE(__shfl_xor_sync, "bfly")
static inline __attribute__((always_inline)) __device__ unsigned __ballot_sync(unsigned mask, int holds) {
  unsigned result;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(result) : "r"(holds), "r"(mask));
  return result;
}
#endif

EXTERN void __requires(bool);
#ifndef __NVCC__ // whose headers have an __assert of another kind
EXTERN void __assert(bool);
#endif

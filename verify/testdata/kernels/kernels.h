// What the CUDA kernels of this folder need of CUDA, for compilers that are given no CUDA headers
// (clang -nocudainc), and the annotations that reach PTX as calls.
#pragma once

#ifdef __CUDACC_RTC__ // NVRTC knows CUDA
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
#endif

EXTERN void __requires(bool);
EXTERN void __assert(bool);

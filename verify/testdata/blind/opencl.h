// What OpenCL C has beside the language, for kernels that are compiled without a library: places of work-items, barriers,
// atomics, and functions of integers. Functions of floating-point numbers have no body: `--pure-externs`.
#define OVER __attribute__((overloadable, always_inline))
#define PLACE(name, reg) \
  OVER size_t name(uint d) { return d == 0 ? __nvvm_read_ptx_sreg_##reg##_x() : d == 1 ? __nvvm_read_ptx_sreg_##reg##_y() : d == 2 ? __nvvm_read_ptx_sreg_##reg##_z() : 0; }
PLACE(get_local_id, tid)
PLACE(get_group_id, ctaid)
PLACE(get_local_size, ntid)
PLACE(get_num_groups, nctaid)
OVER size_t get_global_offset(uint d) { return 0; }
OVER size_t get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
OVER size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
OVER void barrier(cl_mem_fence_flags f) { __syncthreads(); }
OVER void work_group_barrier(cl_mem_fence_flags f) { __syncthreads(); }
OVER void mem_fence(cl_mem_fence_flags f) { __nvvm_membar_cta(); }
OVER void read_mem_fence(cl_mem_fence_flags f) { __nvvm_membar_cta(); }
OVER void write_mem_fence(cl_mem_fence_flags f) { __nvvm_membar_cta(); }

#define ATOMIC1(name, space, type, how) \
  OVER type atomic_##name(volatile space type *p, type v) { return how; } \
  OVER type atom_##name(volatile space type *p, type v) { return how; }
#define ATOMIC(space, type, u) \
  ATOMIC1(add, space, type, __sync_fetch_and_add(p, v)) \
  ATOMIC1(sub, space, type, __sync_fetch_and_sub(p, v)) \
  ATOMIC1(and, space, type, __sync_fetch_and_and(p, v)) \
  ATOMIC1(or, space, type, __sync_fetch_and_or(p, v)) \
  ATOMIC1(xor, space, type, __sync_fetch_and_xor(p, v)) \
  ATOMIC1(min, space, type, __sync_fetch_and_##u##min(p, v)) \
  ATOMIC1(max, space, type, __sync_fetch_and_##u##max(p, v)) \
  ATOMIC1(xchg, space, type, __sync_swap(p, v)) \
  OVER type atomic_inc(volatile space type *p) { return __sync_fetch_and_add(p, 1); } \
  OVER type atomic_dec(volatile space type *p) { return __sync_fetch_and_sub(p, 1); } \
  OVER type atom_inc(volatile space type *p) { return __sync_fetch_and_add(p, 1); } \
  OVER type atomic_cmpxchg(volatile space type *p, type old, type v) { return __sync_val_compare_and_swap(p, old, v); }
ATOMIC(global, int, )
ATOMIC(global, uint, u)
ATOMIC(local, int, )
ATOMIC(local, uint, u)

#define INTEGER1(type) \
  OVER type min(type x, type y) { return x < y ? x : y; } \
  OVER type max(type x, type y) { return x > y ? x : y; } \
  OVER type clamp(type x, type lo, type hi) { return min(max(x, lo), hi); }
INTEGER1(char) INTEGER1(uchar) INTEGER1(short) INTEGER1(ushort) INTEGER1(int) INTEGER1(uint) INTEGER1(long) INTEGER1(ulong)
#define INTEGERN(type) INTEGER1(type##2) INTEGER1(type##3) INTEGER1(type##4) INTEGER1(type##8)
INTEGERN(int) INTEGERN(uint) INTEGERN(char) INTEGERN(uchar) INTEGERN(short) INTEGERN(ushort)
#define FLOAT(type) \
  OVER type min(type x, type y) { return x < y ? x : y; } \
  OVER type max(type x, type y) { return x > y ? x : y; } \
  OVER type clamp(type x, type lo, type hi) { return min(max(x, lo), hi); }
#define FLOATN(type) \
  OVER type min(type x, type y); \
  OVER type min(type x, float y); \
  OVER type max(type x, type y); \
  OVER type max(type x, float y); \
  OVER type clamp(type x, type lo, type hi); \
  OVER type clamp(type x, float lo, float hi);
FLOAT(float) FLOATN(float2) FLOATN(float3) FLOATN(float4) FLOATN(float8)
OVER uint8 abs(int8 x) { return as_uint8(x < 0 ? -x : x); }
OVER uint4 abs(int4 x) { return as_uint4(x < 0 ? -x : x); }
OVER uint2 abs(int2 x) { return as_uint2(x < 0 ? -x : x); }
OVER uint abs(int x) { return x < 0 ? -x : x; }
OVER ulong abs(long x) { return x < 0 ? -x : x; }
OVER int mul24(int x, int y) { return x * y; }
OVER uint mul24(uint x, uint y) { return x * y; }
OVER int mad24(int x, int y, int z) { return x * y + z; }
OVER uint mad24(uint x, uint y, uint z) { return x * y + z; }

#define CONVERT1(to, from) OVER to convert_##to(from x) { return (to)x; }
#define CONVERT(to) \
  CONVERT1(to, char) CONVERT1(to, uchar) CONVERT1(to, short) CONVERT1(to, ushort) CONVERT1(to, int) CONVERT1(to, uint) \
  CONVERT1(to, long) CONVERT1(to, ulong) CONVERT1(to, float) CONVERT1(to, double)
CONVERT(char) CONVERT(uchar) CONVERT(short) CONVERT(ushort) CONVERT(int) CONVERT(uint) CONVERT(long) CONVERT(ulong) CONVERT(float)

#define VECTOR1(type, space) \
  OVER type##2 vload2(size_t i, const space type *p) { p += 2 * i; return (type##2)(p[0], p[1]); } \
  OVER type##4 vload4(size_t i, const space type *p) { p += 4 * i; return (type##4)(p[0], p[1], p[2], p[3]); } \
  OVER void vstore2(type##2 v, size_t i, space type *p) { p += 2 * i; p[0] = v.x; p[1] = v.y; } \
  OVER void vstore4(type##4 v, size_t i, space type *p) { p += 4 * i; p[0] = v.x; p[1] = v.y; p[2] = v.z; p[3] = v.w; }
#define VECTOR(type) VECTOR1(type, global) VECTOR1(type, local)
VECTOR(char) VECTOR(uchar) VECTOR(short) VECTOR(ushort) VECTOR(int) VECTOR(uint) VECTOR(float)

// What OpenCL C has of work items, barriers, atomics, vectors in memory and integers (The OpenCL C Specification, 6.15), in terms of PTX: muster
// has clang include it before a kernel. Functions are static, so those that a kernel does not call are not in its PTX.
#define MUSTER static inline __attribute__((overloadable, always_inline, nodebug))
#define MUSTER_PLACE(name, of_x, of_y, of_z, none) \
  MUSTER size_t muster_##name(uint d) { return d == 0 ? (size_t)(uint)(of_x) : d == 1 ? (size_t)(uint)(of_y) : d == 2 ? (size_t)(uint)(of_z) : none; }
#define MUSTER_AXES(name, part, none) \
  MUSTER_PLACE(name, __nvvm_read_ptx_sreg_##part##_x(), __nvvm_read_ptx_sreg_##part##_y(), __nvvm_read_ptx_sreg_##part##_z(), none)

MUSTER_AXES(get_local_id, tid, 0)
MUSTER_AXES(get_local_size, ntid, 1)
MUSTER_AXES(get_group_id, ctaid, 0)
MUSTER_AXES(get_num_groups, nctaid, 1)
MUSTER size_t muster_get_global_id(uint d) { return muster_get_group_id(d) * muster_get_local_size(d) + muster_get_local_id(d); }
MUSTER size_t muster_get_global_size(uint d) { return muster_get_num_groups(d) * muster_get_local_size(d); }

#define MUSTER_ATOMIC(name, space, type, how) \
  MUSTER type muster_##name(volatile space type *p, type v) { return how(p, v); }
#define MUSTER_ATOMICS(name, how, how_unsigned) \
  MUSTER_ATOMIC(name, global, int, how) MUSTER_ATOMIC(name, global, uint, how_unsigned) \
  MUSTER_ATOMIC(name, local, int, how) MUSTER_ATOMIC(name, local, uint, how_unsigned)
#define MUSTER_COUNT(space, type) \
  MUSTER type muster_atomic_inc(volatile space type *p) { return __sync_fetch_and_add(p, (type)1); } \
  MUSTER type muster_atomic_dec(volatile space type *p) { return __sync_fetch_and_sub(p, (type)1); } \
  MUSTER type muster_atomic_cmpxchg(volatile space type *p, type is, type v) { return __sync_val_compare_and_swap(p, is, v); }

MUSTER_ATOMICS(atomic_add, __sync_fetch_and_add, __sync_fetch_and_add)
MUSTER_ATOMICS(atomic_sub, __sync_fetch_and_sub, __sync_fetch_and_sub)
MUSTER_ATOMICS(atomic_xchg, __sync_lock_test_and_set, __sync_lock_test_and_set)
MUSTER_ATOMICS(atomic_min, __sync_fetch_and_min, __sync_fetch_and_umin)
MUSTER_ATOMICS(atomic_max, __sync_fetch_and_max, __sync_fetch_and_umax)
MUSTER_ATOMICS(atomic_and, __sync_fetch_and_and, __sync_fetch_and_and)
MUSTER_ATOMICS(atomic_or, __sync_fetch_and_or, __sync_fetch_and_or)
MUSTER_ATOMICS(atomic_xor, __sync_fetch_and_xor, __sync_fetch_and_xor)
MUSTER_COUNT(global, int)
MUSTER_COUNT(global, uint)
MUSTER_COUNT(local, int)
MUSTER_COUNT(local, uint)

// Arithmetic that indices are made of (6.15.3). What the other functions compute is unknown to muster, which needs no body to know that
// they do nothing else.
#define MUSTER_EACH(f) f(char) f(uchar) f(short) f(ushort) f(int) f(uint) f(long) f(ulong) f(float)
#define MUSTER_WIDE(f, type) f(type##2, type) f(type##3, type) f(type##4, type) f(type##8, type) f(type##16, type)
#define MUSTER_ORDER(type) \
  MUSTER type muster_min(type x, type y) { return y < x ? y : x; } \
  MUSTER type muster_max(type x, type y) { return x < y ? y : x; } \
  MUSTER type muster_clamp(type x, type low, type high) { return muster_min(muster_max(x, low), high); }
#define MUSTER_ORDERS(type, element) \
  MUSTER_ORDER(type) \
  MUSTER type muster_min(type x, element y) { return muster_min(x, (type)y); } \
  MUSTER type muster_max(type x, element y) { return muster_max(x, (type)y); } \
  MUSTER type muster_clamp(type x, element low, element high) { return muster_clamp(x, (type)low, (type)high); }
#define MUSTER_ORDERED(type) MUSTER_ORDER(type) MUSTER_WIDE(MUSTER_ORDERS, type)
MUSTER_EACH(MUSTER_ORDERED)
#define MUSTER_24(type, element) \
  MUSTER type muster_mul24(type x, type y) { return (x << 8 >> 8) * (y << 8 >> 8); } \
  MUSTER type muster_mad24(type x, type y, type z) { return muster_mul24(x, y) + z; }
MUSTER_24(int, int) MUSTER_WIDE(MUSTER_24, int)
MUSTER_24(uint, uint) MUSTER_WIDE(MUSTER_24, uint)

// Vectors at elements of arrays, which need not be aligned (6.15.7): one access for each component.
#define MUSTER_PARTS(n, type, space) \
  MUSTER type##n muster_vload##n(size_t i, const space type *p) { type##n v; for (int k = 0; k < n; k++) v[k] = p[n * i + k]; return v; } \
  MUSTER void muster_vstore##n(type##n v, size_t i, space type *p) { for (int k = 0; k < n; k++) p[n * i + k] = v[k]; }
#define MUSTER_PART(n, type, space) \
  MUSTER type##n muster_vload##n(size_t i, const space type *p) { type##n v; for (int k = 0; k < n; k++) v[k] = p[n * i + k]; return v; }
#define MUSTER_SPACES(n, type) MUSTER_PARTS(n, type, global) MUSTER_PARTS(n, type, local) MUSTER_PARTS(n, type, private) MUSTER_PART(n, type, constant)
#define MUSTER_VECTORS(type) MUSTER_SPACES(2, type) MUSTER_SPACES(3, type) MUSTER_SPACES(4, type) MUSTER_SPACES(8, type) MUSTER_SPACES(16, type)
MUSTER_EACH(MUSTER_VECTORS)

#define min(...) muster_min(__VA_ARGS__)
#define max(...) muster_max(__VA_ARGS__)
#define clamp(...) muster_clamp(__VA_ARGS__)
#define mul24(...) muster_mul24(__VA_ARGS__)
#define mad24(...) muster_mad24(__VA_ARGS__)
#define vload2(...) muster_vload2(__VA_ARGS__)
#define vload3(...) muster_vload3(__VA_ARGS__)
#define vload4(...) muster_vload4(__VA_ARGS__)
#define vload8(...) muster_vload8(__VA_ARGS__)
#define vload16(...) muster_vload16(__VA_ARGS__)
#define vstore2(...) muster_vstore2(__VA_ARGS__)
#define vstore3(...) muster_vstore3(__VA_ARGS__)
#define vstore4(...) muster_vstore4(__VA_ARGS__)
#define vstore8(...) muster_vstore8(__VA_ARGS__)
#define vstore16(...) muster_vstore16(__VA_ARGS__)
#define get_local_id(d) muster_get_local_id(d)
#define get_local_size(d) muster_get_local_size(d)
#define get_enqueued_local_size(d) muster_get_local_size(d)
#define get_group_id(d) muster_get_group_id(d)
#define get_num_groups(d) muster_get_num_groups(d)
#define get_global_id(d) muster_get_global_id(d)
#define get_global_size(d) muster_get_global_size(d)
#define get_global_offset(d) ((size_t)0)
#define mem_fence(flags) __nvvm_membar_cta()
#define read_mem_fence(flags) __nvvm_membar_cta()
#define write_mem_fence(flags) __nvvm_membar_cta()
#define atomic_add(...) muster_atomic_add(__VA_ARGS__)
#define atomic_sub(...) muster_atomic_sub(__VA_ARGS__)
#define atomic_xchg(...) muster_atomic_xchg(__VA_ARGS__)
#define atomic_min(...) muster_atomic_min(__VA_ARGS__)
#define atomic_max(...) muster_atomic_max(__VA_ARGS__)
#define atomic_and(...) muster_atomic_and(__VA_ARGS__)
#define atomic_or(...) muster_atomic_or(__VA_ARGS__)
#define atomic_xor(...) muster_atomic_xor(__VA_ARGS__)
#define atomic_inc(p) muster_atomic_inc(p)
#define atomic_dec(p) muster_atomic_dec(p)
#define atomic_cmpxchg(...) muster_atomic_cmpxchg(__VA_ARGS__)
#define atom_add(...) muster_atomic_add(__VA_ARGS__)
#define atom_inc(p) muster_atomic_inc(p)

// What OpenCL C has of work items, barriers and atomics (The OpenCL C Specification, 6.15), in terms of PTX: muster
// has clang include it before a kernel. Functions are static, so those that a kernel does not call are not in its PTX.
#define MUSTER static inline __attribute__((overloadable, always_inline))
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

// Atomic objects with orders and scopes (6.15.12), as the mapping of C++ to PTX has them: what is seq_cst has a fence before it.
void __atomic_scope_that_PTX_does_not_have(void); // of less than a group

// An instruction in each scope, and in each order that it may have.
#define MUSTER_IN_SCOPES(order, DO, ...) \
  if (scope == memory_scope_work_group) { DO(order, "cta", __VA_ARGS__) } \
  else if (scope == memory_scope_device) { DO(order, "gpu", __VA_ARGS__) } \
  else if (scope == memory_scope_all_svm_devices) { DO(order, "sys", __VA_ARGS__) } \
  else __atomic_scope_that_PTX_does_not_have();
#define MUSTER_IN_ORDERS(DO, ...) \
  if (order == memory_order_relaxed) { MUSTER_IN_SCOPES("relaxed", DO, __VA_ARGS__) } \
  else if (order == memory_order_acquire) { MUSTER_IN_SCOPES("acquire", DO, __VA_ARGS__) } \
  else if (order == memory_order_release) { MUSTER_IN_SCOPES("release", DO, __VA_ARGS__) } \
  else { MUSTER_IN_SCOPES("acq_rel", DO, __VA_ARGS__) }
#define MUSTER_DO_FENCE(order, scope, ...) __asm volatile("fence." order "." scope ";" ::: "memory");
#define MUSTER_DO_LOAD(order, scope, width, reg) __asm volatile("ld." order "." scope "." width " %0, [%1];" : "=" reg(v) : "l"(p) : "memory");
#define MUSTER_DO_STORE(order, scope, width, reg) __asm volatile("st." order "." scope "." width " [%0], %1;" ::"l"(p), reg(v) : "memory");
#define MUSTER_DO_ATOM(order, scope, what, reg) __asm volatile("atom." order "." scope "." what " %0, [%1], %2;" : "=" reg(old) : "l"(p), reg(v) : "memory");
#define MUSTER_DO_CAS(order, scope, width, reg) \
  __asm volatile("atom." order "." scope ".cas." width " %0, [%1], %2, %3;" : "=" reg(old) : "l"(p), reg(*expected), reg(v) : "memory");

MUSTER void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  if (order == memory_order_seq_cst) { MUSTER_IN_SCOPES("sc", MUSTER_DO_FENCE, ) }
  else if (order != memory_order_relaxed) { MUSTER_IN_SCOPES("acq_rel", MUSTER_DO_FENCE, ) }
}
MUSTER void muster_before(memory_order order, memory_scope scope) {
  if (order == memory_order_seq_cst) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, scope);
}

// A function of an object and a value, and those of it that leave out the scope, or the order, too.
#define MUSTER_FORMS(result, name, object, type) \
  MUSTER result atomic_##name##_explicit(volatile object *p, type v, memory_order order) { return atomic_##name##_explicit(p, v, order, memory_scope_device); } \
  MUSTER result atomic_##name(volatile object *p, type v) { return atomic_##name##_explicit(p, v, memory_order_seq_cst, memory_scope_device); }
#define MUSTER_CHANGE(object, type, reg, name, what) \
  MUSTER type atomic_##name##_explicit(volatile object *p, type v, memory_order order, memory_scope scope) { \
    type old; \
    muster_before(order, scope); \
    MUSTER_IN_ORDERS(MUSTER_DO_ATOM, what, reg) \
    return old; \
  } \
  MUSTER_FORMS(type, name, object, type)
#define MUSTER_COMPARE_EXCHANGE(object, type, reg, width, name) \
  MUSTER bool atomic_compare_exchange_##name##_explicit(volatile object *p, type *expected, type v, memory_order order, memory_order otherwise, memory_scope scope) { \
    type old, before = *expected; \
    muster_before(order, scope); \
    MUSTER_IN_ORDERS(MUSTER_DO_CAS, width, reg) \
    if (old != before) *expected = old; \
    return old == before; \
  } \
  MUSTER bool atomic_compare_exchange_##name##_explicit(volatile object *p, type *expected, type v, memory_order order, memory_order otherwise) { \
    return atomic_compare_exchange_##name##_explicit(p, expected, v, order, otherwise, memory_scope_device); \
  } \
  MUSTER bool atomic_compare_exchange_##name(volatile object *p, type *expected, type v) { \
    return atomic_compare_exchange_##name##_explicit(p, expected, v, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device); \
  }
#define MUSTER_OBJECT(object, type, reg, width) \
  MUSTER void atomic_init(volatile object *p, type v) { *(type *)p = v; } /* no atomic itself */ \
  MUSTER type atomic_load_explicit(volatile object *p, memory_order order, memory_scope scope) { \
    type v; \
    muster_before(order, scope); \
    if (order == memory_order_relaxed) { MUSTER_IN_SCOPES("relaxed", MUSTER_DO_LOAD, width, reg) } \
    else { MUSTER_IN_SCOPES("acquire", MUSTER_DO_LOAD, width, reg) } \
    return v; \
  } \
  MUSTER type atomic_load_explicit(volatile object *p, memory_order order) { return atomic_load_explicit(p, order, memory_scope_device); } \
  MUSTER type atomic_load(volatile object *p) { return atomic_load_explicit(p, memory_order_seq_cst, memory_scope_device); } \
  MUSTER void atomic_store_explicit(volatile object *p, type v, memory_order order, memory_scope scope) { \
    muster_before(order, scope); \
    if (order == memory_order_relaxed) { MUSTER_IN_SCOPES("relaxed", MUSTER_DO_STORE, width, reg) } \
    else { MUSTER_IN_SCOPES("release", MUSTER_DO_STORE, width, reg) } \
  } \
  MUSTER_FORMS(void, store, object, type) \
  MUSTER_CHANGE(object, type, reg, exchange, "exch." width) \
  MUSTER_COMPARE_EXCHANGE(object, type, reg, width, strong) \
  MUSTER_COMPARE_EXCHANGE(object, type, reg, width, weak)
#define MUSTER_WHOLE(object, type, reg, width, sum, bound) \
  MUSTER_OBJECT(object, type, reg, width) \
  MUSTER_CHANGE(object, type, reg, fetch_add, "add." sum) \
  MUSTER_CHANGE(object, type, reg, fetch_min, "min." bound) \
  MUSTER_CHANGE(object, type, reg, fetch_max, "max." bound) \
  MUSTER_CHANGE(object, type, reg, fetch_and, "and." width) \
  MUSTER_CHANGE(object, type, reg, fetch_or, "or." width) \
  MUSTER_CHANGE(object, type, reg, fetch_xor, "xor." width) \
  MUSTER type atomic_fetch_sub_explicit(volatile object *p, type v, memory_order order, memory_scope scope) { return atomic_fetch_add_explicit(p, -v, order, scope); } \
  MUSTER_FORMS(type, fetch_sub, object, type)
MUSTER_WHOLE(atomic_int, int, "r", "b32", "u32", "s32")
MUSTER_WHOLE(atomic_uint, uint, "r", "b32", "u32", "u32")
#ifdef cl_khr_int64_base_atomics
MUSTER_WHOLE(atomic_long, long, "l", "b64", "u64", "s64")
MUSTER_WHOLE(atomic_ulong, ulong, "l", "b64", "u64", "u64")
#endif
MUSTER_OBJECT(atomic_float, float, "f", "b32")

MUSTER bool atomic_flag_test_and_set_explicit(volatile atomic_flag *p, memory_order order, memory_scope scope) {
  return atomic_exchange_explicit((volatile atomic_int *)p, 1, order, scope) != 0;
}
MUSTER bool atomic_flag_test_and_set_explicit(volatile atomic_flag *p, memory_order order) { return atomic_flag_test_and_set_explicit(p, order, memory_scope_device); }
MUSTER bool atomic_flag_test_and_set(volatile atomic_flag *p) { return atomic_flag_test_and_set_explicit(p, memory_order_seq_cst, memory_scope_device); }
MUSTER void atomic_flag_clear_explicit(volatile atomic_flag *p, memory_order order, memory_scope scope) { atomic_store_explicit((volatile atomic_int *)p, 0, order, scope); }
MUSTER void atomic_flag_clear_explicit(volatile atomic_flag *p, memory_order order) { atomic_flag_clear_explicit(p, order, memory_scope_device); }
MUSTER void atomic_flag_clear(volatile atomic_flag *p) { atomic_flag_clear_explicit(p, memory_order_seq_cst, memory_scope_device); }

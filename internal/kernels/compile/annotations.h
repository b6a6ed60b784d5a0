// Annotations of kernels, as GPUVerify's sources call them: functions without a body, which muster knows by name, and what is said in terms of them.
#pragma once
#ifdef __cplusplus
#define MUSTER_EXTERN extern "C" __attribute__((device))
#define MUSTER_LOCAL(...) \
  extern "C" { \
  static inline __attribute__((device, always_inline, nodebug)) __VA_ARGS__ \
  }
#else
#define MUSTER_EXTERN
#define MUSTER_LOCAL(...) static inline __attribute__((always_inline, nodebug)) __VA_ARGS__
#endif

// What is read between these two, to state something, is no access of the kernel.
MUSTER_EXTERN void __non_temporal_loads_begin(void);
MUSTER_EXTERN void __non_temporal_loads_end(void);

// Statements. What a function requires or ensures is its own: it must not be put where it is called, and nothing is that may return twice.
#define MUSTER_STATES(name, attributes) \
  MUSTER_EXTERN attributes void muster_call##name(bool) __asm(#name); \
  MUSTER_LOCAL(attributes void muster##name(bool holds) { muster_call##name(holds); __non_temporal_loads_end(); })
#define MUSTER_IN_PLACE __attribute__((returns_twice))
MUSTER_STATES(__requires, MUSTER_IN_PLACE)
MUSTER_STATES(__ensures, MUSTER_IN_PLACE)
MUSTER_STATES(__global_requires, MUSTER_IN_PLACE)
MUSTER_STATES(__global_ensures, MUSTER_IN_PLACE)
MUSTER_STATES(__function_wide_invariant, MUSTER_IN_PLACE)
MUSTER_STATES(__function_wide_candidate_invariant, MUSTER_IN_PLACE)
MUSTER_STATES(__assume, )
MUSTER_STATES(__assert, )
MUSTER_STATES(__candidate_assert, )
MUSTER_STATES(__invariant, )
MUSTER_STATES(__global_invariant, )
MUSTER_STATES(__candidate_invariant, )
MUSTER_STATES(__candidate_global_invariant, )
MUSTER_STATES(__barrier_invariant, )
// So that `void __assert(bool);` of a source that declares one itself declares both.
#define __requires __non_temporal_loads_begin(), muster__requires
#define __ensures __non_temporal_loads_begin(), muster__ensures
#define __global_requires __non_temporal_loads_begin(), muster__global_requires
#define __global_ensures __non_temporal_loads_begin(), muster__global_ensures
#define __function_wide_invariant __non_temporal_loads_begin(), muster__function_wide_invariant
#define __function_wide_candidate_invariant __non_temporal_loads_begin(), muster__function_wide_candidate_invariant
#define __assume __non_temporal_loads_begin(), muster__assume
#define __assert __non_temporal_loads_begin(), muster__assert
#define __candidate_assert __non_temporal_loads_begin(), muster__candidate_assert
#define __invariant __non_temporal_loads_begin(), muster__invariant
#define __global_invariant __non_temporal_loads_begin(), muster__global_invariant
#define __candidate_invariant __non_temporal_loads_begin(), muster__candidate_invariant
#define __candidate_global_invariant __non_temporal_loads_begin(), muster__candidate_global_invariant

// Invariants of barriers name the threads that they are used for, which are not looked at.
#define __barrier_invariant(claim, ...) __non_temporal_loads_begin(), muster__barrier_invariant(claim)
#define __barrier_invariant_1 __barrier_invariant
#define __barrier_invariant_2 __barrier_invariant
#define __barrier_invariant_3 __barrier_invariant
#define __barrier_invariant_4 __barrier_invariant
#define __barrier_invariant_5 __barrier_invariant
#define __barrier_invariant_6 __barrier_invariant
#define __barrier_invariant_7 __barrier_invariant
#define __barrier_invariant_8 __barrier_invariant
#define __barrier_invariant_9 __barrier_invariant
#define __barrier_invariant_10 __barrier_invariant
#define __barrier_invariant_11 __barrier_invariant
#define __barrier_invariant_12 __barrier_invariant
#define __barrier_invariant_13 __barrier_invariant
#define __barrier_invariant_14 __barrier_invariant
#define __barrier_invariant_15 __barrier_invariant
#define __barrier_invariant_16 __barrier_invariant
#define __barrier_invariant_17 __barrier_invariant
#define __barrier_invariant_18 __barrier_invariant
#define __barrier_invariant_19 __barrier_invariant
#define __barrier_invariant_20 __barrier_invariant
#define __barrier_invariant_binary __barrier_invariant
#define __barrier_invariant_binary_1 __barrier_invariant
#define __barrier_invariant_binary_2 __barrier_invariant
#define __barrier_invariant_binary_3 __barrier_invariant
#define __barrier_invariant_binary_4 __barrier_invariant

// Values: whether a thread comes here, what the other thread has, what a function returns, what was before.
MUSTER_EXTERN bool __enabled(void);
MUSTER_EXTERN bool __dominator_enabled(void);
#define MUSTER_VALUES(name, type) \
  MUSTER_EXTERN type __other_##name(type); \
  MUSTER_EXTERN type __return_val_##name(void); \
  MUSTER_EXTERN type __old_##name(type);
#define MUSTER_WITHOUT_OVERFLOW(name, type) \
  MUSTER_EXTERN type __add_noovfl_##name(type, type); \
  MUSTER_EXTERN type __sub_noovfl_##name(type, type);
MUSTER_VALUES(bool, bool)
MUSTER_VALUES(char, char)
MUSTER_VALUES(unsigned_char, unsigned char)
MUSTER_VALUES(short, short)
MUSTER_VALUES(unsigned_short, unsigned short)
MUSTER_VALUES(int, int)
MUSTER_VALUES(unsigned_int, unsigned)
MUSTER_VALUES(long, long)
MUSTER_VALUES(unsigned_long, unsigned long)
MUSTER_VALUES(float, float)
MUSTER_WITHOUT_OVERFLOW(int, int)
MUSTER_WITHOUT_OVERFLOW(unsigned_int, unsigned)
MUSTER_WITHOUT_OVERFLOW(long, long)
MUSTER_WITHOUT_OVERFLOW(unsigned_long, unsigned long)
MUSTER_LOCAL(bool __implies(bool x, bool y) { return !x | y; })
#define __ite(x, y, z) ((x) ? (y) : (z))
#define __all(x) ((x) & __other_bool(x))
#define __exclusive(x) (!__all(x))
#define __uniform_bool(x) ((x) == __other_bool(x))
#define __uniform_int(x) ((x) == __other_int(x))
#define __distinct_bool(x) ((x) != __other_bool(x))
#define __distinct_int(x) ((x) != __other_int(x))
#define __mod_pow2(x, y) ((x) & ((y)-1))
#define __is_pow2(x) (((x) & ((x)-1)) == 0)
#define __pow2 __is_pow2

// What a thread has accessed of an array since the last barrier, in the space that the pointer leads to.
#ifdef __cplusplus
MUSTER_EXTERN bool __read(const volatile void *);
MUSTER_EXTERN bool __write(const volatile void *);
MUSTER_EXTERN __SIZE_TYPE__ __read_offset_bytes(const volatile void *);
MUSTER_EXTERN __SIZE_TYPE__ __write_offset_bytes(const volatile void *);
MUSTER_EXTERN __SIZE_TYPE__ __ptr_offset_bytes(const volatile void *);
MUSTER_EXTERN void __reads_from(const volatile void *);
MUSTER_EXTERN void __writes_to(const volatile void *);
MUSTER_EXTERN bool __atomic_has_taken_value(const volatile void *, __SIZE_TYPE__, int);
MUSTER_EXTERN void __requires_fresh_array(const volatile void *);
MUSTER_EXTERN void *__return_val_funptr(void);
#define __return_val_funptr(type) ((type)__return_val_funptr())
#define __same_group ((blockIdx.x == __other_int(blockIdx.x)) & (blockIdx.y == __other_int(blockIdx.y)) & (blockIdx.z == __other_int(blockIdx.z)))
#else
#define MUSTER_ASKS(result, name, space) \
  result name##_##space(const volatile space void *); \
  MUSTER result name(const volatile space void *p) { return name##_##space(p); }
#define MUSTER_SPACE(space) \
  MUSTER_ASKS(bool, __read, space) \
  MUSTER_ASKS(bool, __write, space) \
  MUSTER_ASKS(size_t, __read_offset_bytes, space) \
  MUSTER_ASKS(size_t, __write_offset_bytes, space) \
  MUSTER_ASKS(size_t, __ptr_offset_bytes, space) \
  MUSTER_ASKS(void, __reads_from, space) \
  MUSTER_ASKS(void, __writes_to, space) \
  MUSTER_ASKS(void, __requires_fresh_array, space) \
  bool __atomic_has_taken_value_##space(const volatile space void *, size_t, int); \
  MUSTER bool __atomic_has_taken_value(const volatile space void *p, size_t offset, int v) { return __atomic_has_taken_value_##space(p, offset, v); }
MUSTER_SPACE(global)
MUSTER_SPACE(local)
MUSTER_VALUES(int2, int2)
MUSTER_VALUES(int4, int4)
MUSTER_VALUES(float2, float2)
MUSTER_VALUES(float4, float4)
#define __same_group \
  ((get_group_id(0) == __other_unsigned_long(get_group_id(0))) & (get_group_id(1) == __other_unsigned_long(get_group_id(1))) & \
   (get_group_id(2) == __other_unsigned_long(get_group_id(2))))
#endif
#define __no_read(p) (!__read(p))
#define __no_write(p) (!__write(p))
#define __read_implies(p, claim) __implies(__read(p), claim)
#define __write_implies(p, claim) __implies(__write(p), claim)

// Functions that nothing is known of but axioms.
#define DECLARE_UF_UNARY(name, x, result) MUSTER_EXTERN result name(x) __asm("__uninterpreted_function_" #name)
#define DECLARE_UF_BINARY(name, x, y, result) MUSTER_EXTERN result name(x, y) __asm("__uninterpreted_function_" #name)
#define DECLARE_UF_TERNARY(name, x, y, z, result) MUSTER_EXTERN result name(x, y, z) __asm("__uninterpreted_function_" #name)
#define MUSTER_NUMBERED(name, n) name##n
#define MUSTER_AXIOM(claim, n) \
  MUSTER_EXTERN bool MUSTER_NUMBERED(__axiom, n)(void) { return claim; }
#define __axiom(claim) MUSTER_AXIOM(claim, __COUNTER__)

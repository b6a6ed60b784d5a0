// What lanes of a warp do together, as PTX: clang has it from PTX 6.0 on only, and takes an older one without CUDA.
#pragma once

MUSTER void __syncwarp(unsigned mask = 0xffffffff) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
MUSTER unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

#define MUSTER_SHUFFLE_AS(name, type, as) \
  MUSTER type name(unsigned mask, type value, int by, int width = 32) { \
    return __builtin_bit_cast(type, name(mask, __builtin_bit_cast(as, value), by, width)); \
  }
#define MUSTER_SHUFFLE(name, mode, bound) \
  MUSTER int name(unsigned mask, int value, int by, int width = 32) { \
    int result; \
    asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(value), "r"(by), "r"((32 - width) << 8 | bound), "r"(mask)); \
    return result; \
  } \
  MUSTER long long name(unsigned mask, long long value, int by, int width = 32) { \
    unsigned low = name(mask, (int)value, by, width), high = name(mask, (int)(value >> 32), by, width); \
    return (long long)high << 32 | low; \
  } \
  MUSTER_SHUFFLE_AS(name, unsigned, int) \
  MUSTER_SHUFFLE_AS(name, float, int) \
  MUSTER_SHUFFLE_AS(name, long, long long) \
  MUSTER_SHUFFLE_AS(name, unsigned long, long long) \
  MUSTER_SHUFFLE_AS(name, unsigned long long, long long) \
  MUSTER_SHUFFLE_AS(name, double, long long)
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
#define MUSTER_MASK(mode) "vote.sync." mode ".b32 %0, p, %2;"
#define MUSTER_TRUTH(mode) "vote.sync." mode ".pred q, p, %2; selp.s32 %0, 1, 0, q;"
MUSTER_VOTE(unsigned, __ballot_sync, MUSTER_MASK, "ballot")
MUSTER_VOTE(int, __any_sync, MUSTER_TRUTH, "any")
MUSTER_VOTE(int, __all_sync, MUSTER_TRUTH, "all")

#define MUSTER_MATCH(type, reg, bits) \
  MUSTER unsigned __match_any_sync(unsigned mask, type value) { \
    unsigned all; \
    asm volatile("match.any.sync." bits " %0, %1, %2;" : "=r"(all) : reg(value), "r"(mask)); \
    return all; \
  }
MUSTER_MATCH(int, "r", "b32")
MUSTER_MATCH(unsigned, "r", "b32")
MUSTER_MATCH(long long, "l", "b64")
MUSTER_MATCH(unsigned long long, "l", "b64")

#define MUSTER_REDUCE(type, op, suffix) \
  MUSTER type __reduce_##op##_sync(unsigned mask, type value) { \
    type all; \
    asm volatile("redux.sync." #op "." suffix " %0, %1, %2;" : "=r"(all) : "r"(value), "r"(mask)); \
    return all; \
  }
MUSTER_REDUCE(int, add, "s32")
MUSTER_REDUCE(int, min, "s32")
MUSTER_REDUCE(int, max, "s32")
MUSTER_REDUCE(unsigned, add, "u32")
MUSTER_REDUCE(unsigned, min, "u32")
MUSTER_REDUCE(unsigned, max, "u32")
MUSTER_REDUCE(unsigned, and, "b32")
MUSTER_REDUCE(unsigned, or, "b32")
MUSTER_REDUCE(unsigned, xor, "b32")

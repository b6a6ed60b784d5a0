// Numbers of 16 bits that are the upper half of a float.
#pragma once
#include "cuda_fp16.h"

MUSTER float muster_bf16_to_float(unsigned short bits) { return __uint_as_float((unsigned)bits << 16); }
MUSTER unsigned short muster_float_to_bf16(float v) { return (__float_as_uint(v) + 0x7fff + (__float_as_uint(v) >> 16 & 1)) >> 16; }
MUSTER_SMALL(__nv_bfloat16, __nv_bfloat162, muster_bf16_to_float, muster_float_to_bf16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
MUSTER float __bfloat162float(__nv_bfloat16 v) { return v; }
MUSTER __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }

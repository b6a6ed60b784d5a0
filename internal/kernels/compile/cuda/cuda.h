// What GPUVerify's header of that name has beyond CUDA's own.
#pragma once
#include "cuda_runtime.h"
#include "cooperative_groups.h"
#include "curand_kernel.h"

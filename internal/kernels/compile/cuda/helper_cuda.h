// What CUDA's samples have host code say.
#pragma once
#include "cuda_runtime.h"

#define checkCudaErrors(call) ((void)(call))
#define getLastCudaError(what) ((void)(what))
int findCudaDevice(int argc, const char **argv);

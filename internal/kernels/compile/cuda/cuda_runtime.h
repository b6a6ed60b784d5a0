// CUDA C++ without CUDA: muster has clang include this before a kernel where CUDA's own headers are not installed. It has
// what kernels say (CUDA C++ Programming Guide, "C++ Language Extensions"), in terms of PTX. Functions are inline, so those
// that a kernel does not call are not in its PTX, and have the lines of their calls.
#pragma once
#include "muster/language.h"
#include "muster/math.h"
#include "muster/library.h"
#include "muster/vectors.h"
#include "muster/atomics.h"
#include "muster/warps.h"
#include "muster/host.h"
#include "../annotations.h"

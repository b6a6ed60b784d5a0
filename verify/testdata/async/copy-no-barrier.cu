#define BARRIER
#include "copy.cu"

#define WAIT wait<0>()
#include "copy.cu"

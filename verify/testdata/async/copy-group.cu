#define WAIT commit(); wait<0>()
#include "copy.cu"

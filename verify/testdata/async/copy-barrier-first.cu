#define WAIT __syncthreads()
#define BARRIER wait_all()
#include "copy.cu"

#define WAIT wait<2>()
#include "tensor-matmul.cu"

#define WAIT
#include "tensor-matmul.cu"

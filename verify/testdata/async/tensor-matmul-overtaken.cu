#define READ
#include "tensor-matmul.cu"

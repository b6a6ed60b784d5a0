#define READ
#include "pipeline.cu"

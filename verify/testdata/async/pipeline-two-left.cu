#define LEFT 2
#include "pipeline.cu"

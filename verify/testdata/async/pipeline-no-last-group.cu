#define EMPTY
#include "pipeline.cu"

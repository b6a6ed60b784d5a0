#define ARRIVED
#include "pipeline.cu"

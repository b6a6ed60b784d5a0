#define STAGES 2
#include "three-stages.cu"

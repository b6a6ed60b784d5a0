#define STORED
#include "fragments.cu"

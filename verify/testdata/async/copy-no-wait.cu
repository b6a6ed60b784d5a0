#define WAIT commit()
#include "copy.cu"

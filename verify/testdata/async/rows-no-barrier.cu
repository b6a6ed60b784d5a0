#define STORED
#include "rows.cu"

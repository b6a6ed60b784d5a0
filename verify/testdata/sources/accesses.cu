// Accesses of the source that no optimizer may lose: of what is loaded and not used, or only stored where it was.
struct pair { char tag; short number; };
typedef int (*function)(int);

__global__ void wrong_loads_for_nothing(int *a) {
  int unused = a[threadIdx.x + 1];
  a[threadIdx.x] = 1;
}
__global__ void wrong_loads_for_a_product_with_nothing(int *a) { a[threadIdx.x] = a[threadIdx.x + 1] * 0; }
__global__ void wrong_stores_what_was_there(int *a) { a[0] = a[0]; }
__global__ void wrong_stores_a_tag_that_was_there(pair *a) { a[0].tag = a[0].tag; }
__global__ void wrong_loads_a_vector_for_nothing(int4 *a) {
  int4 unused = a[threadIdx.x];
  a[threadIdx.x + 1].w = 1;
}
__global__ void wrong_loads_a_bool(bool *a) {
  bool unused = a[threadIdx.x + 1];
  a[threadIdx.x] = true;
}
__global__ void wrong_loads_a_pointer(int **a, int *b) {
  int *unused = a[threadIdx.x + 1];
  a[threadIdx.x] = b;
}
__global__ void right_loads_functions(function *a, int *b) {
  function unused = a[threadIdx.x + 1];
  b[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void right_loads_its_own(float *a, double *b) {
  float unused = a[blockIdx.x * blockDim.x + threadIdx.x];
  double nor_this = b[blockIdx.x * blockDim.x + threadIdx.x];
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  b[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// Places in the source that are spoken of: of traps, of threads that wait, and of launches that fail.
__global__ void right_trap(int *a, int n) {
  if (n < 0) __trap();
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void wrong_some_wait(int *a) {
  if (threadIdx.x < 3) __syncthreads();
}
__global__ void wrong_two_barriers(int *a) {
  if (threadIdx.x < 3) __syncthreads();
  else __syncthreads();
}
__global__ void wrong_null(int *a) {
  int *none = nullptr;
  none[threadIdx.x] = 1;
}

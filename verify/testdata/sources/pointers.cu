// Pointers that swap their arrays: one instruction accesses another array in each round, at the same place.
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define SWAP \
  int *was = from; \
  from = to; \
  to = was;

__global__ void wrong_swap_without_a_barrier(int *from, int *to) {
  for (int i = 0; i < 5; i++) {
    to[I] = from[I ^ 1];
    SWAP
  }
}
__global__ void wrong_swap_in_the_second_round(int *from, int *to) {
  for (int i = 0; i < 2; i++) {
    to[I] = from[0];
    SWAP
  }
}
__global__ void right_swap_of_what_is_its_own(int *from, int *to) {
  for (int i = 0; i < 5; i++) {
    to[I] = from[I];
    SWAP
  }
}
__global__ void right_swap_with_a_barrier(int *a, int *b) {
  int *from = a + blockIdx.x * blockDim.x, *to = b + blockIdx.x * blockDim.x;
  for (int i = 0; i < 5; i++) {
    to[threadIdx.x] = from[threadIdx.x ^ 1];
    __syncthreads();
    SWAP
  }
}

// What headers take for granted of functions, and what not.
#include <cuda/atomic>
#include <curand_kernel.h>

__device__ unsigned drawn(unsigned long long seed, unsigned long long sequence) {
  curandState s;
  curand_init(seed, sequence, 0, &s);
  return curand(&s);
}
__global__ void wrong_different_sequences_draw_different_numbers(int *a) { a[drawn(1, blockIdx.x * blockDim.x + threadIdx.x)] = 1; }
__global__ void wrong_different_seeds_draw_different_numbers(int *a) { a[drawn(blockIdx.x * blockDim.x + threadIdx.x, 1)] = 1; }
__global__ void wrong_all_draw_odd_numbers(int *a) {
  if (drawn(1, threadIdx.x) & 1) __syncthreads();
}
__global__ void right_one_sequence_draws_one_number(int *a) {
  if (drawn(1, 2) & 1) __syncthreads();
}
__global__ void right_states_of_their_own(curandState *states, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState s = states[i];
  a[i] = curand_uniform(&s);
  states[i] = s;
}
__global__ void wrong_one_state(curandState *states, float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = curand_uniform(states); }

__global__ void right_scope_of_the_device(int *a) { cuda::atomic_ref<int, cuda::thread_scope_device>(*a).fetch_add(1); }
__global__ void wrong_scope_of_the_block(int *a) { cuda::atomic_ref<int, cuda::thread_scope_block>(*a).fetch_add(1); }
__global__ void open_scope_of_the_thread(int *a) { cuda::atomic_ref<int, cuda::thread_scope_thread>(*a).fetch_add(1); }
__global__ void open_loads_in_the_scope_of_the_thread(int *a) {
  if (cuda::atomic_ref<int, cuda::thread_scope_thread>(*a).load() == 1) a[1] = 2;
}

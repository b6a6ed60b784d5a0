#include <cuda/atomic>
#include <cuda/std/atomic>
__global__ void pass(int *data, cuda::atomic<int, cuda::thread_scope_device> *flag, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 42;
    flag->store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (flag->load(cuda::memory_order_acquire) == 0) {}
    *out = *data; // what orders it is no barrier
  }
}
__global__ void count(int *c) {
  cuda::atomic_ref<int, cuda::thread_scope_block> r(*c);
  r.fetch_add(1, cuda::memory_order_relaxed); // other blocks do, too
}
__global__ void all(cuda::atomic<unsigned> *a, cuda::std::atomic<long long> *b) {
  unsigned was = a[0].load();
  while (!a[0].compare_exchange_weak(was, was + 1)) {}
  a[1] = 7; a[2]++; a[3] += 2; a[4].fetch_max(9); b->fetch_xor(3, cuda::std::memory_order_acq_rel); b[1].exchange(1);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}

// Said:
// _Z4passPiPN4cuda6atomicIiLNS0_12thread_scopeE1EEES_ alarm race message.cu:5:11 message.cu:9:12
// _Z5countPi alarm race message.cu:14:5 message.cu:14:5
// _Z3allPN4cuda6atomicIjLNS_12thread_scopeE0EEEPNS0_IxLS1_0EEE verified

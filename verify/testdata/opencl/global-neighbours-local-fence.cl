// As global-neighbours, but the barrier orders the other memory.
kernel void neighbours(global int *A, global int *out) {
  int t = get_local_id(0), i = get_global_id(0);
  A[i] = t;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = A[i - t + (t + 1) % 64];
}

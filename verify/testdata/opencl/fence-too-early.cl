// The barrier for global memory comes before what is written there.
kernel void two(global int *A, global int *out) {
  local int s[64];
  int t = get_local_id(0), i = get_global_id(0);
  s[t] = t;
  barrier(CLK_GLOBAL_MEM_FENCE);
  A[i] = t;
  barrier(CLK_LOCAL_MEM_FENCE);
  int next = (t + 1) % 64;
  out[i] = A[i - t + next] + s[next];
}

// As tree-local, in global memory, which the barriers do not order.
kernel void reduce(global int *in, global int *out) {
  global int *s = in + 64 * get_group_id(0);
  int t = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int n = 32; n > 0; n /= 2) {
    if (t < n)
      s[t] += s[t + n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0)
    out[get_group_id(0)] = s[0];
}

// 64 work items add up 64 numbers in local memory.
kernel void reduce(global const int *in, global int *out) {
  local int s[64];
  int t = get_local_id(0);
  s[t] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int n = 32; n > 0; n /= 2) {
    if (t < n)
      s[t] += s[t + n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0)
    out[get_group_id(0)] = s[0];
}

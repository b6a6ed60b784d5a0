// Half of the work items order local memory, the others do not.
kernel void some(global int *out) {
  local int s[64];
  int t = get_local_id(0);
  s[t] = t;
  barrier(t % 2 == 0 ? CLK_LOCAL_MEM_FENCE : 0);
  out[get_global_id(0)] = s[(t + 1) % 64];
}

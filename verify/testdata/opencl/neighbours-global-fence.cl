// As neighbours, but the barrier orders the other memory.
kernel void neighbours(global int *out) {
  local int s[64];
  int t = get_local_id(0);
  s[t] = t;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = s[(t + 1) % 64];
}

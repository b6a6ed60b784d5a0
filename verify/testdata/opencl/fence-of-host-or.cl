// The host says what the barrier orders beside local memory.
kernel void chosen(global int *out, uint flags) {
  local int s[64];
  int t = get_local_id(0);
  s[t] = t;
  barrier(flags | CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s[(t + 1) % 64];
}

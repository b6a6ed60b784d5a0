// Each work item reads what its neighbour has put into local memory.
kernel void neighbours(global int *out) {
  local int s[64];
  int t = get_local_id(0);
  s[t] = t;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s[(t + 1) % 64];
}

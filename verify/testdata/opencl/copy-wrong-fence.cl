// The barrier after the copy orders the other memory.
kernel void scale(global const int *in, global int *out) {
  local int tile[64];
  int t = get_local_id(0);
  event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
  wait_group_events(1, &e);
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = 2 * tile[63 - t];
}

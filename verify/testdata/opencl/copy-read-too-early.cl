// A barrier does not wait for a copy.
kernel void scale(global const int *in, global int *out) {
  local int tile[64];
  int t = get_local_id(0);
  event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = 2 * tile[63 - t];
  wait_group_events(1, &e);
}

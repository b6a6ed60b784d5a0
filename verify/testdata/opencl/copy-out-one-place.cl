// All groups copy to one place.
kernel void fill(global int *out) {
  local int tile[64];
  int t = get_local_id(0);
  tile[63 - t] = t;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(out, tile, 64, 0);
  wait_group_events(1, &e);
}

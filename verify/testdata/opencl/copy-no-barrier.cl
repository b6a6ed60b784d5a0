// Each work item waits for its part of the copy, and reads that of another.
kernel void scale(global const int *in, global int *out) {
  local int tile[64];
  int t = get_local_id(0);
  event_t e = async_work_group_copy(tile, in + 64 * get_group_id(0), 64, 0);
  wait_group_events(1, &e);
  out[get_global_id(0)] = 2 * tile[63 - t];
}

// A tile goes back to global memory when all have written to it.
kernel void fill(global int *out) {
  local int tile[64];
  int t = get_local_id(0);
  tile[63 - t] = t;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(out + 64 * get_group_id(0), tile, 64, 0);
  wait_group_events(1, &e);
}

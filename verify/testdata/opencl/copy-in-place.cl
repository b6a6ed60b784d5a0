// What is copied is written to while it may still be read.
kernel void scale(global int *A) {
  local int tile[64];
  int t = get_local_id(0);
  event_t e = async_work_group_copy(tile, A + 64 * get_group_id(0), 64, 0);
  A[get_global_id(0)] = t;
  wait_group_events(1, &e);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

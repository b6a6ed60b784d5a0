// While a tile is added up, the next is copied into it.
kernel void sums(global const int4 *in, global int4 *out) {
  local int4 tile[1][64];
  int t = get_local_id(0);
  int4 sum = 0;
  event_t next = async_work_group_copy(tile[0], in, 64, 0);
  for (int k = 0; k < 4; k++) {
    wait_group_events(1, &next);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k < 3)
      next = async_work_group_copy(tile[0], in + 64 * (k + 1), 64, 0);
    sum += tile[0][63 - t];
  }
  out[get_global_id(0)] = sum;
}

// Every fourth element of a matrix of four columns is one of a column.
kernel void column(global const int *A, global int *out) {
  local int c[16];
  int t = get_local_id(0);
  event_t e = async_work_group_strided_copy(c, A + get_group_id(0), 16, 4, 0);
  wait_group_events(1, &e);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 16)
    out[16 * get_group_id(0) + t] = c[15 - t];
}

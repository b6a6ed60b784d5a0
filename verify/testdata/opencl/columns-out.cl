// Each group writes a column of a matrix of as many columns as groups.
kernel void column(global int *out) {
  local int c[16];
  int t = get_local_id(0);
  if (t < 16)
    c[t] = t;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_strided_copy(out + get_group_id(0), c, 16, get_num_groups(0), 0);
  wait_group_events(1, &e);
}

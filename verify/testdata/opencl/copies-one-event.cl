// Two copies that have one event.
kernel void add(global const int *A, global const int *B, global int *out) {
  local int a[64], b[64];
  int t = get_local_id(0), first = 64 * get_group_id(0);
  event_t e = async_work_group_copy(a, A + first, 64, 0);
  e = async_work_group_copy(b, B + first, 64, e);
  wait_group_events(1, &e);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + t] = a[63 - t] + b[63 - t];
}

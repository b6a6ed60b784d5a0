// Two copies into one tile that have no cells in common.
kernel void both(global const int *A, global const int *B) {
  local int a[128];
  event_t e = async_work_group_copy(a, A, 64, 0);
  e = async_work_group_copy(a + 64, B, 64, e);
  wait_group_events(1, &e);
}

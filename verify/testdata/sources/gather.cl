// What a group gathers is the same for all work items of it, but for scans.
kernel void right_all_take_the_branch(global int *a) {
  if (work_group_any(get_local_id(0) == 1)) barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = 1;
}
kernel void right_as_many_rounds(global int *a) {
  for (int i = 0, n = work_group_broadcast(a[0], 3); i < n; i++) barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void right_round_by_round(global int *a, int n) {
  for (int i = 0; i < n; i++)
    if (work_group_reduce_add((int)get_local_id(0) * i) > 7) barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void open_scans(global int *a) {
  if (work_group_scan_inclusive_add((int)get_local_id(0)) > 7) barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void open_one_in_another_group(global int *a) {
  int i = work_group_reduce_max((int)get_group_id(0));
  if (get_local_id(0) == 0) a[i] = 1;
}
kernel void open_one_in_another_round(global int *a, local int *s, int n) {
  for (int i = 0; i < n; i++) {
    int j = work_group_reduce_add(i);
    if (get_local_id(0) == i) s[j] = 1;
  }
}
kernel void open_one_by_another_call(global int *a, local int *s) {
  int i = work_group_reduce_add(1), j = work_group_reduce_add(2);
  if (get_local_id(0) == 0) s[i] = 1;
  if (get_local_id(0) == 1) s[j] = 1;
}
kernel void wrong_all_write(global int *a, local int *s) { s[work_group_reduce_add(1)] = get_local_id(0); }
kernel void wrong_nothing_is_ordered(global int *a, local int *s) {
  int i = get_local_id(0);
  s[i] = 1;
  work_group_all(1);
  a[get_global_id(0)] = s[i ^ 1];
}

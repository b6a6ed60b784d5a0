// What is read to state something is no access, and the same if it is read twice; what is read before and after is one.
kernel void right_states_what_others_write(global int *a) {
  a[get_global_id(0)] = 1;
  __assert(a[0] == a[0] && a[1] - a[1] == 0);
}
kernel void wrong_loads_after_a_statement(global int *a) {
  __assert(a[0] == a[0]);
  int unused = a[get_global_id(0) + 1];
  a[get_global_id(0)] = 1;
}
kernel void open_assumes_what_is_read(global int *a) {
  int x = a[get_global_id(0)];
  __assume(false);
  a[0] = x;
}

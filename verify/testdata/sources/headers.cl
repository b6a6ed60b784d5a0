// What headers take for granted of functions, and what not.
kernel void wrong_initialized_by_all(global atomic_int *a) { atomic_init(a, 1); }
kernel void right_initialized_by_one(global atomic_int *a) {
  if (get_global_id(0) == 0) atomic_init(a, 1);
}
kernel void wrong_initialized_while_others_add(global atomic_int *a) {
  if (get_global_id(0) == 0) atomic_init(a, 1);
  else atomic_fetch_add(a, 1);
}
kernel void wrong_rotated_by_more_than_all_bits(global int *a) { a[rotate((ulong)get_global_id(0), 128ul) & 63] = 1; }
kernel void right_rotated_by_more_than_all_bits(global int *a) { a[rotate((ulong)get_global_id(0), 65ul)] = 1; }
kernel void right_rotated_by_more_than_all_bits_of_any_number(global int *a, ulong by) { a[rotate((ulong)get_global_id(0), by & 3 | 64)] = 1; }

// Launches have no offset.
kernel void right_no_offset(global int *a) { a[get_global_id(0) - get_global_offset(0)] = 1; }
kernel void wrong_no_offset(global int *a) { a[get_local_id(0) + get_global_offset(0)] = 1; }

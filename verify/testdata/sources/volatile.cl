// Volatile accesses are strong in PTX, and race in OpenCL C: that they do not is an assumption.
kernel void right_volatile(volatile global int *a) { a[0] = get_global_id(0); }
kernel void wrong_volatile_and_plain(volatile global int *a, global int *b) {
  a[0] = get_global_id(0);
  b[0] = get_global_id(0);
}

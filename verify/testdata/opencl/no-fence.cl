// A barrier that orders nothing.
kernel void none(global int *out) {
  local int s[64];
  int t = get_local_id(0);
  s[t] = t;
  barrier(0);
  out[get_global_id(0)] = s[(t + 1) % 64];
}

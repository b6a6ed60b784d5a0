// An axiom of a place that no work item of the launch has: GPUVerify verifies such kernels.
__axiom(get_group_id(1) == 16)

kernel void right_where_nobody_is(global int *a) { a[0] = get_global_id(0); }

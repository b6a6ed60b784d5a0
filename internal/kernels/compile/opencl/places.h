// Work items and their groups (6.15.1), and fences (6.15.9).
#define MUSTER_PLACE(name, of_x, of_y, of_z, none) \
  MUSTER size_t muster_##name(uint d) { return d == 0 ? (size_t)(uint)(of_x) : d == 1 ? (size_t)(uint)(of_y) : d == 2 ? (size_t)(uint)(of_z) : none; }
#define MUSTER_AXES(name, part, none) \
  MUSTER_PLACE(name, __nvvm_read_ptx_sreg_##part##_x(), __nvvm_read_ptx_sreg_##part##_y(), __nvvm_read_ptx_sreg_##part##_z(), none)

MUSTER_AXES(get_local_id, tid, 0)
MUSTER_AXES(get_local_size, ntid, 1)
MUSTER_AXES(get_group_id, ctaid, 0)
MUSTER_AXES(get_num_groups, nctaid, 1)
MUSTER size_t muster_get_global_id(uint d) { return muster_get_group_id(d) * muster_get_local_size(d) + muster_get_local_id(d); }
MUSTER size_t muster_get_global_size(uint d) { return muster_get_num_groups(d) * muster_get_local_size(d); }
#define MUSTER_LINEAR(name, id, size) \
  MUSTER size_t muster_##name() { return (muster_##id(2) * muster_##size(1) + muster_##id(1)) * muster_##size(0) + muster_##id(0); }
MUSTER_LINEAR(get_local_linear_id, get_local_id, get_local_size)
MUSTER_LINEAR(get_global_linear_id, get_global_id, get_global_size)

#define get_local_id(d) muster_get_local_id(d)
#define get_local_size(d) muster_get_local_size(d)
#define get_enqueued_local_size(d) muster_get_local_size(d)
#define get_group_id(d) muster_get_group_id(d)
#define get_num_groups(d) muster_get_num_groups(d)
#define get_global_id(d) muster_get_global_id(d)
#define get_global_size(d) muster_get_global_size(d)
#define get_local_linear_id() muster_get_local_linear_id()
#define get_global_linear_id() muster_get_global_linear_id()
#define mem_fence(flags) __nvvm_membar_cta()
#define read_mem_fence(flags) __nvvm_membar_cta()
#define write_mem_fence(flags) __nvvm_membar_cta()

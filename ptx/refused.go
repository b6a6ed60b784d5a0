package ptx

import "strings"

// refused are the reasons why muster lacks instructions, modifiers and registers of PTX. Each row
// is a reason and the names that have it.
var refused = reasons([][2]string{
	{
		"muster does not simulate floating-point arithmetic: .f32 and .f64 are bits to load, store and move, and numbers only to atom and red",
		"fma rcp sqrt rsqrt sin cos lg2 ex2 tanh testp copysign f16 f16x2 bf16 bf16x2 tf32 e4m3x2 e5m2x2 " +
			"rn rz rm rp rni rzi rmi rpi ftz noftz f32 f64",
	},
	{"asynchronous copies are cp.async, cp.async.bulk, cp.async.bulk.tensor and cp.reduce.async.bulk here", "cp"},
	{
		"mbarriers have init inval expect_tx complete_tx arrive arrive_drop test_wait try_wait pending_count here, with .expect_tx, .noComplete, .parity",
		"mbarrier mbarrier::complete_tx::bytes",
	},
	{"muster does not simulate matrix operations but wgmma.mma_async, wgmma.fence, wgmma.commit_group and wgmma.wait_group", "wgmma"},
	{
		"of tcgen05 there are mma, cp, ld, st, wait::ld, wait::st, commit, fence::before_thread_sync and fence::after_thread_sync, of .cta_group::1; tensor memory is a location, " +
			"which is not allocated, shifted, or multicast to",
		"tcgen05 cta_group::2 ws block_scale multicast::cluster",
	},
	{"a matrix is one number here, and is not sparse", "sp"},
	{"muster does not simulate matrix operations of one warp", "wmma mma ldmatrix stmatrix movmatrix"},
	{
		"muster does not simulate exchanges within a warp: its threads meet in memory and at barriers, with st, bar.warp.sync and ld",
		"shfl vote match redux activemask ballot",
	},
	{"muster does not simulate multicast memory, of which each GPU has a copy", "multimem"},
	{"tensor maps have .replace.tile and .cp_fenceproxy.global.shared::cta here", "tensormap"},
	{
		"what it leaves in memory has no value, and each load may find another: to see what it races with, write st.weak in its place",
		"discard",
	},
	{"cache policies are hints, which are made by createpolicy.fractional, createpolicy.range and createpolicy.cvt.L2", "createpolicy"},
	{"loads of read-only memory are outside the memory model: write ld, or cold for the constant proxy", "ldu"},
	{"textures have no coordinates here: write tld and the name of a location", "tex tld4 txq suq istypep"},
	{"muster does not simulate calls: write what is called in its place", "call brx alloca stacksave stackrestore"},
	{"muster does not simulate what ends or stops a kernel: ret and exit end a thread", "trap brkpt"},
	{"muster does not simulate how blocks are launched", "clusterlaunchcontrol"},
	{"it is for profilers, and does nothing that a test could see: leave it out", "pmevent"},
	{"the memory map tells where a location is", "isspacep"},
	{
		"muster does not simulate arithmetic of several small values in one register",
		"vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 " +
			"vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4 u16x2 s16x2",
	},
	{"the scope of a device is .gpu here", "device"},
	{"the scope of a block is .cta here", "block workgroup work_group"},
	{"the scope of the system is .sys here", "system"},
	{"fences alone are sequentially consistent, and say .sc: put one before the access", "sc seq_cst"},
	{
		"muster does not simulate time",
		"%clock %clock_hi %clock64 %globaltimer %globaltimer_lo %globaltimer_hi",
	},
	{"no test says on which multiprocessor its threads run", "%smid %nsmid %locality_domain_id %locality_domain_supplemental_sm"},
	{"no test says how much shared memory its launch has", "%dynamic_smem_size %total_smem_size %aggr_smem_size"},
	{
		"shared memory that the system reserves is no location of a test",
		"%reserved_smem_offset_begin %reserved_smem_offset_end %reserved_smem_offset_cap %reserved_smem_offset_0 %reserved_smem_offset_1",
	},
	{"no test is a graph of launches", "%current_graph_exec"},
})

func reasons(rows [][2]string) map[string]string {
	all := map[string]string{}
	for _, row := range rows {
		for _, name := range strings.Fields(row[1]) {
			all[name] = row[0]
		}
	}
	return all
}

package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

// spellings are the asynchronous instructions in the forms of their pages (PTX ISA 9, "Asynchronous
// copy", "Tensor copy", "mbarrier", "membar/fence", "tensormap", "Asynchronous warpgroup level
// matrix", "TensorCore 5th Generation").
const spellings = `
cp.async.ca.shared.global [s], [x], 4
cp.async.ca.shared::cta.global.L2::cache_hint.L2::128B [s], [x], 8, policy
cp.async.ca.shared.global [s], [x], 16, 0
cp.async.ca.shared.global [s], [x], 4, p
cp.async.cg.shared.global.L2::256B [s], [x], 16, 16
cp.async.cg.shared::cta.global.L2::cache_hint [s], [x], 16, 16, policy
cp.async.cg.shared.global.L2::64B [s + 0], [x], 16
cp.async.commit_group
cp.async.wait_group 3
cp.async.wait_all
cp.async.mbarrier.arrive.b64 [m]
cp.async.mbarrier.arrive.noinc.b64 [m]
cp.async.mbarrier.arrive.shared.b64 [m]
cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m]

cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [x], 16, [m]
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [s], [x], 16, [m], policy
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [s], [x], 16, 0, 0, [m]
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint.ignore_oob [s], [x], 16, 4, 8, [m], policy
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [x], 16, [m]
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [s], [x], 32, [m], policy
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [x], 16, [m], 1
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [s], [x], 16, [m], 1, policy
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s], [u], 16, [m]
cp.async.bulk.global.shared::cta.bulk_group [x], [s], 16
cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [x], [s], 16, policy
cp.async.bulk.global.shared::cta.bulk_group.cp_mask [x], [s], 16, 0xffff
cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [x], [s], 16, policy, 0xffff
cp.async.bulk.commit_group
cp.async.bulk.wait_group 0
cp.async.bulk.wait_group.read 1
cp.async.bulk.prefetch.L2.global [x], 16
cp.async.bulk.prefetch.L2.global.L2::cache_hint [x], 16, policy
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [s], [u], 16, [m]
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [s], [u], 16, [m]
cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [x], [s], 16
cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.and.b32 [x], [s], 16, policy

cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.tile [s], [g, {0}], [m]
cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [s], [g, {0}], [m], policy
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g, {0, 0}], [m], 1
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::1.L2::cache_hint [s], [g, {0, 0}], [m], 1, policy
cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [s], [g, {0, 0, 1, 2, 3}], [m]
cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g, {0, 0, 0}], [m]
cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [s], [g, {0, 0, 0, 0}], [m], {0, 0}
cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [s], [g, {0, 0, 0, 0, 0}], [m], {0, 0, 0}
cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [s], [g, {0, 0, 0}], [m], {0, 0}
cp.async.bulk.tensor.3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [s], [g, {0, 0, 0}], [m], {0, 0}
cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [g, {0}], [s]
cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [g, {0, 0}], [s], policy
cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [g, {0, 0, 1, 2, 3}], [s]
cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [g, {0, 0, 0, 0}], [s]
cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [g, {0}], [s]
cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.bulk_group.L2::cache_hint [g, {0, 0}], [s], policy
cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col_no_offs.bulk_group [g, {0, 0, 0}], [s]
cp.async.bulk.prefetch.tensor.1d.L2.global.tile [g, {0}]
cp.async.bulk.prefetch.tensor.2d.L2.global [g, {0, 0}]
cp.async.bulk.prefetch.tensor.3d.L2.global.im2col.L2::cache_hint [g, {0, 0, 0}], {0}, policy
prefetch.tensormap [g]
prefetch.param.tensormap [g]
prefetch.const.tensormap [g]

tensormap.replace.tile.global_address.global.b1024.b64 [g], 0
tensormap.replace.tile.global_address.shared::cta.b1024.b64 [s], x
tensormap.replace.tile.rank.global.b1024.b32 [g], 2
tensormap.replace.tile.box_dim.global.b1024.b32 [g], 0, 64
tensormap.replace.tile.global_dim.global.b1024.b32 [g], 1, 64
tensormap.replace.tile.global_stride.global.b1024.b64 [g], 0, 64
tensormap.replace.tile.element_stride.b1024.b32 [g], 0, 1
tensormap.replace.tile.elemtype.global.b1024.b32 [g], 3
tensormap.replace.tile.interleave_layout.global.b1024.b32 [g], 0
tensormap.replace.tile.swizzle_mode.global.b1024.b32 [g], 0
tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [g], 0
tensormap.replace.tile.fill_mode.global.b1024.b32 [g], 0
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [g], [s], 128

st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [s], 1, [m]
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [s], 1, [m]
st.async.mbarrier::complete_tx::bytes.s64 [s], 1, [m]
st.async.weak.mbarrier::complete_tx::bytes.f32 [s], 0, [m]
st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [c], {1, 2}, [m]
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [c], {1, 2, 3, 4}, [m]
st.async.release.gpu.global.u32 [x], 1
st.async.release.sys.global.b64 [x], 1
st.async.mmio.release.sys.global.u32 [x], 1
st.async.release.gpu.u32 [x], 1
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [s], 1, [m]
red.async.relaxed.cluster.mbarrier::complete_tx::bytes.inc.u32 [s], 1, [m]
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 [s], 1, [m]
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [s], 1, [m]
red.async.release.gpu.global.add.u32 [x], 1
red.async.mmio.release.sys.global.add.u64 [x], 1
st.bulk.weak.shared::cta [c], 16, 0

mbarrier.init.shared::cta.b64 [m], 2
mbarrier.init.shared.b64 [m], 2
mbarrier.init.b64 [m], r
mbarrier.inval.b64 [m]
mbarrier.inval.shared.b64 [m]
mbarrier.expect_tx.b64 [m], 16
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 16
mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [m], 16
mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [m], 16
mbarrier.complete_tx.shared::cta.b64 [m], 16
mbarrier.arrive.b64 state, [m]
mbarrier.arrive.shared.b64 state, [m]
mbarrier.arrive.shared::cta.b64 _, [m], 1
mbarrier.arrive.shared::cluster.b64 _, [m]
mbarrier.arrive.release.cta.shared::cta.b64 state, [m], 1
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [m], 1
mbarrier.arrive.release.cluster.b64 _, [m]
mbarrier.arrive.relaxed.cluster.shared::cta.b64 state, [m]
mbarrier.arrive.relaxed.cta.b64 _, [m]
mbarrier.arrive.expect_tx.shared::cta.b64 state, [m], 16
mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [m], 16
mbarrier.arrive.expect_tx.relaxed.cluster.b64 _, [m], 16
mbarrier.arrive.expect_tx.shared::cluster.b64 _, [m], 16
mbarrier.arrive.noComplete.b64 state, [m], 1
mbarrier.arrive.noComplete.release.cta.shared::cta.b64 state, [m], 1
mbarrier.arrive_drop.b64 state, [m]
mbarrier.arrive_drop.shared::cluster.b64 _, [m], 1
mbarrier.arrive_drop.release.cta.shared::cta.b64 state, [m], 1
mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cluster.b64 _, [m], 16
mbarrier.arrive_drop.noComplete.release.cta.b64 state, [m], 1
mbarrier.arrive.b64 state, [m]; mbarrier.pending_count.b64 r, state
mbarrier.arrive.b64 state, [m]; mbarrier.test_wait.b64 p, [m], state
mbarrier.arrive.b64 state, [m]; mbarrier.test_wait.shared::cta.b64 p, [m], state
mbarrier.arrive.b64 state, [m]; mbarrier.test_wait.acquire.cta.shared.b64 p, [m], state
mbarrier.arrive.b64 state, [m]; mbarrier.try_wait.b64 p, [m], state, 1000
mbarrier.arrive.b64 state, [m]; mbarrier.try_wait.relaxed.cluster.shared::cta.b64 p, [m], state, r
mbarrier.test_wait.parity.b64 p, [m], 0
mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [m], 1
mbarrier.try_wait.parity.shared::cta.b64 p, [m], 0
mbarrier.try_wait.parity.shared.b64 p, [m], 0, 0x989680
mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [m], 0, r
mbarrier.try_wait.parity.relaxed.cta.b64 p, [m], 0

fence.proxy.alias
fence.proxy.async
fence.proxy.async.global
fence.proxy.async.shared::cta
fence.proxy.async.shared::cluster
fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster
fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster
fence.proxy.tensormap::generic.release.cta
fence.proxy.tensormap::generic.release.cluster
fence.proxy.tensormap::generic.release.gpu
fence.proxy.tensormap::generic.release.sys
fence.proxy.tensormap::generic.acquire.gpu [g], 128
fence.proxy.tensormap::generic.acquire.sys [g], 128
fence.acquire.sync_restrict::shared::cluster.cluster
fence.release.sync_restrict::shared::cta.cluster
fence.mbarrier_init.release.cluster
fence.acq_rel.cluster
fence.cluster
membar.proxy.async
barrier.cluster.arrive
barrier.cluster.arrive.aligned
barrier.cluster.arrive.release.aligned
barrier.cluster.arrive.relaxed.aligned
barrier.cluster.wait
barrier.cluster.wait.aligned
barrier.cluster.wait.acquire.aligned

mapa.u64 r, s, 0
mapa.shared::cluster.u32 r, s, 0
mapa.shared::cluster.u64 r, s + 0, 0
getctarank.u32 r, s
getctarank.shared::cluster.u32 r, s
getctarank.shared::cluster.u64 r, s

ld.global.nc.u32 r, [x]
ld.global.ca.nc.u32 r, [x]
ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.u32 r, [x], policy
ld.global.nc.v4.u32 {r1, r2, r3, r4}, [a]

ld.global.cs.u32 r, [x]
ld.global.lu.u32 r, [x]
ld.global.cs.nc.u32 r, [x]
ld.weak.global.cs.L2::cache_hint.L2::256B.u32 r, [x], policy
ld.volatile.global.L2::128B.u32 r, [x]
ld.acquire.gpu.global.L1::evict_unchanged.u32 r, [x]
ld.param::entry.u32 r, [x]
st.global.cs.u32 [x], 1
st.global.L1::no_allocate.L2::cache_hint.u32 [x], 1, policy
prefetch.L1 [x]
prefetch.global.L2 [x]
prefetch.local.L1 [x]
prefetch.global.L2::evict_normal [x]
prefetchu.L1 [x]
applypriority.L2::evict_normal [x], 128
createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 policy, 0.5
createpolicy.fractional.L2::evict_first.b64 policy
createpolicy.fractional.L2::evict_normal.b64 policy, 0f3F800000
createpolicy.range.global.L2::evict_last.L2::evict_first.b64 policy, [x], 0x100000, 0x400000
createpolicy.range.L2::evict_last.b64 policy, [x], r, r
createpolicy.cvt.L2.b64 policy, r
createpolicy.cvt.L2.b64 policy, 0x12F0000000000000
setmaxnreg.inc.sync.aligned.u32 240
setmaxnreg.dec.sync.aligned.u32 24
griddepcontrol.wait
griddepcontrol.launch_dependents

wgmma.fence.sync.aligned
wgmma.commit_group.sync.aligned
wgmma.wait_group.sync.aligned 0
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, s, u, p, 1, 1, 0, 0
wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {f0, f1}, {r0, r1, r2, r3}, s, 1, -1, -1, 1
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0, f1, f2, f3}, s, u, p, 1, 1, 0, 0
wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {f0, f1, f2, f3}, s, u, p, 1, 1
wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {f0, f1, f2, f3}, s, u, 0, 1, 1
wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8.satfinite {f0, f1, f2, f3}, s, u, p
wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {f0, f1, f2, f3}, s, u, p
`

// inPrograms are such instructions as headers of libraries and compilers write them: predicates,
// blocks with labels of their own, hexadecimal numbers, registers with addresses, the order of
// modifiers of older versions.
const inPrograms = `
{; .reg .pred P1; LAB_WAIT: mbarrier.try_wait.parity.shared::cta.b64 P1, [m], 0; @P1 bra DONE; bra LAB_WAIT; DONE:; }
.reg .pred complete; waitLoop: mbarrier.try_wait.parity.shared.b64 complete, [m], 0; @!complete bra.uni waitLoop
$L__BB0_1: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [m], 0, 0x989680; @!%p1 bra $L__BB0_1
.reg .pred P1; mbarrier.test_wait.parity.shared::cta.b64 P1, [m], 0; selp.b32 r, 1, 0, P1
mbarrier.arrive.shared.b64 state, [m]; LAB: mbarrier.try_wait.shared::cta.b64 p, [m], state; @!p bra LAB
mov.u64 %rd1, m; @p mbarrier.arrive.expect_tx.shared.b64 _, [%rd1], 16384
mbarrier.init.shared::cta.b64 [m], 0x1; fence.mbarrier_init.release.cluster; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned
mapa.shared::cluster.u32 remAddr32, m, 0; mbarrier.arrive.shared::cluster.b64 _, [remAddr32]
mapa.shared::cluster.u32 remAddr32, m, r0; @p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remAddr32], 1
@p cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g, {r0, r1}], [m]
@p cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [s], [g, {0, 0, 0}], [m], policy
cp.async.bulk.tensor.2d.tile::gather4.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g, {0, 0, 1, 2, 3}], [m]
cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [s], [g, {0, 0}], [m]
@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [g, {0, 0}], [s]; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0x0
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [x], [s], 0x10
@p cp.async.cg.shared.global.L2::128B [ s + 0 ], [ x + 0 ], 0x10, 0x10; cp.async.commit_group; cp.async.wait_group 0x0; bar.sync 0
cp.async.ca.shared.global [s], [x], 4, 4; cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m]
fence.proxy.async.shared::cta; barrier.sync 1, 128; barrier.cta.sync.aligned 2, 128; bar.arrive 3, 256
fence.acq_rel.gpu; red.release.gpu.global.add.u32 [x], 1
mov.u32 r, %cluster_ctarank; mov.u32 r, %cluster_nctarank; mov.u32 r, %clusterid.x
st.release.cluster.shared::cluster.u32 [s], 1; ld.acquire.cluster.shared::cluster.u32 r, [s]; atom.shared::cluster.add.u32 r, [s], 1
prefetch.tensormap [g]; prefetch.global.L2::evict_last [x]; applypriority.global.L2::evict_normal [x], 128
ld.relaxed.gpu.global.L1::no_allocate.L2::cache_hint.u32 r, [x], policy
createpolicy.fractional.L2::evict_first.b64 policy, 1.0; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [s], [x], 16, [m], policy
cvta.to.shared.u64 %rd1, s; cvta.to.global.u64 %rd2, x; nanosleep.u32 0x14
elect.sync _|%p1, 0xffffffff; @%p1 st.u32 [x], 1; elect.sync r|p, -1
tcgen05.mma.cta_group::1.kind::f16 [u], s, s, r, {0, 0, 0x0, r}, p; tcgen05.mma.cta_group::1.kind::f16 [u], s, s, r, {r,r,r,r}, p, 2
tcgen05.mma.cta_group::1.kind::f16 [u], s, s, r, p; tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [m]
tcgen05.ld.sync.aligned.32x32b.x8.b32 {r1, r2, r3, r4, r5, r6, r7, r8}, [u]; tcgen05.wait::ld.sync.aligned
`

// refusals are instructions of such programs that tests do not have, and what the error says.
var refusals = map[string]string{
	"griddepcontrol.trigger":              "griddepcontrol takes .launch_dependents .wait",
	"setmaxnreg.set.sync.aligned.u32 240": "setmaxnreg takes .inc .dec",
	"elect.sync p, 0xffffffff":            `expected "|" before the predicate`,
	"elect.sync _|p, 2":                   "must be known, and have the bit of the thread's lane, 0",
	"add.u32 r|r1, r1, 1":                 `expected ","`,
	"createpolicy.b64 policy, 1.0":        "cache policies are hints",
	"cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [s], [u], 16, [m]":                "within shared memory go from .shared::cta to .shared::cluster",
	"cp.async.bulk.tensor.1d.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s], [g, {0}], [m]": "between a tensor in global memory and shared memory",
	"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {f0, f1, f2, f3}, s, u, r, 0, p, 1, 1, 0, 0":    "is not sparse; wgmma.mma_async takes .sync, .aligned, .m64n8k8 .m64n8k16 .m64n8k32 .m64n8k256 …",
	"pmevent 1": "leave it out",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f32 [x], [s], 16":                      ".f32 and .f64 have .add",
	"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 128":                             "tensor memory is a location, which is not allocated",
	"tcgen05.mma.cta_group::2.kind::f16 [u], s, s, r, p":                                           "of .cta_group::1",
	"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r1, r2, r3, r4}, [s]":                               "matrix operations of one warp",
	"shfl.sync.idx.b32 r, r, 0, 31, -1":                                                            "exchanges within a warp",
	"multimem.ld_reduce.relaxed.sys.global.add.u32 r, [x]":                                         "multicast memory",
	"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [m]": "how blocks are launched",
	"red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes.add.u32 [s], 1, [m]":            "write .mbarrier::complete_tx::bytes and the mbarrier",
	"mbarrier.try_wait.parity.shared::cluster.b64 p, [m], 0":                                       "shared::cluster",
}

// TestSpellings: every form of the pages is read, each in a test of its own.
func TestSpellings(t *testing.T) {
	for line := range strings.Lines(spellings + inPrograms) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if _, err := newAsync(spelt(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestRefusals: what tests do not have is an error that says why, or what to write instead.
func TestRefusals(t *testing.T) {
	for instruction, why := range refusals {
		_, err := newAsync(spelt(instruction))
		var all src.Diagnostics
		if !errors.As(err, &all) || !strings.Contains(all[0].Message+all[0].Hint, why) {
			t.Errorf("%s: %v, want %q", instruction, err, why)
		}
	}
}

// spelt returns a test of some instructions, in the second of two CTAs of a cluster.
func spelt(instructions string) string {
	setup := "mov.u32 policy, 0\nmov.u32 r, 1\nmov.u32 r0, 0\nsetp.eq.u32 p, 0, 0\nsetp.eq.u32 %p1, 0, 0"
	if strings.Contains(instructions, "[m]") && !strings.Contains(instructions, "mbarrier.init") {
		setup += "\nmbarrier.init.b64 [m], 2"
	}
	cells := strings.ReplaceAll(setup+"\n"+strings.ReplaceAll(instructions, "; ", "\n"), "\n", " | ;\n")
	return fmt.Sprintf("PTX t\n{ x=1; a[4]={1,2,3,4}; g=x; shared s; shared u; shared m; shared c[4]; 0:r1=0; 0:r2=0; 0:r3=0; 0:r4=0; }\n"+
		"P0@cta 0,cluster 0 | P1@cta 1,cluster 0 ;\n%s | ;\nforall (true)\n", cells)
}

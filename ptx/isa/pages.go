package isa

import (
	"fmt"
	"strings"
)

// A page is an instruction of litmus tests that has a page of its own in the manual, because its
// suffixes and operands follow no common pattern: they name two state spaces, or have several
// addresses.
type page struct {
	code  Code
	head  string // the words that it begins with: "cp.async"
	words string // those that follow, as slots: "level=ca|cg"; ? before one that may be left out, * after one that may come again
	takes string // operands, by their kinds (see Parameter); ? before one that may be left out, /suffix behind one that goes with that
}

// Suffixes and operands that several pages have.
const (
	// hintWords are taken and ignored; a page writes HINTS for them and their operand.
	hintWords = "hint=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate|" +
		"L2::evict_normal|L2::evict_first|L2::evict_last|L2::cache_hint|L2::64B|L2::128B|L2::256B"
	cachePolicy = " ~policy/L2::cache_hint"

	barrierScopes = " ?scope=cta|cluster "
	relaxedWords  = "?sem=relaxed" + barrierScopes + "?bar=shared|shared::cta|shared::cluster type=b64"
	arriveWords   = "?sem=release|relaxed" + barrierScopes + "?bar=shared|shared::cta|shared::cluster type=b64"
	waitWords     = "?sem=acquire|relaxed" + barrierScopes + "?bar=shared|shared::cta type=b64"

	tensorWords = "dim=1d|2d|3d|4d|5d "
	matrixTypes = "f16|bf16|tf32|f32|e4m3|e5m2|s32|u8|s8|b1"
	together    = "sync=sync aligned=aligned "
	oneGroup    = "group=cta_group::1 "
	tensorShape = together + "shape=32x32b|16x32bx2|16x64b|16x128b|16x256b num=x1|x2|x4|x8|x16|x32|x64|x128 "

	// priorities are those of a cache policy, for some of the accesses and for the others.
	priorities = "primary=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged ?secondary=L2::evict_first|L2::evict_unchanged type=b64"
)

// matrixShapes are m64nNkK: N is a multiple of 8 up to 256, and K goes with the type.
func matrixShapes() string {
	var all []string
	for n := 8; n <= 256; n += 8 {
		for _, k := range []int{8, 16, 32, 256} {
			all = append(all, fmt.Sprintf("m64n%dk%d", n, k))
		}
	}
	return strings.Join(all, "|")
}

// pages are the instructions with a form of their own (PTX ISA, the chapters that are named).
var pages = []page{
	// Asynchronous copies ("cp.async").
	{Async, "cp.async", "level=ca|cg to=shared|shared::cta from=global HINTS", "[to] [from] size ?filled"},
	{Async, "cp.async.commit_group", "", ""},
	{Async, "cp.async.wait_group", "", "pending"},
	{Async, "cp.async.wait_all", "", ""},
	// Mbarriers.
	{Async, "mbarrier.init", "?bar=shared|shared::cta type=b64", "[bar] count"},
	{Async, "mbarrier.inval", "?bar=shared|shared::cta type=b64", "[bar]"},
	{Async, "mbarrier.expect_tx", relaxedWords, "[bar] bytes"},
	{Async, "mbarrier.complete_tx", relaxedWords, "[bar] bytes"},
	{Async, "mbarrier.arrive", arriveWords, "?=state [bar] ?count"},
	{Async, "mbarrier.arrive.expect_tx", arriveWords, "?=state [bar] bytes"},
	{Async, "mbarrier.arrive.noComplete", arriveWords, "?=state [bar] count"},
	{Async, "mbarrier.arrive_drop", arriveWords, "?=state [bar] ?count"},
	{Async, "mbarrier.arrive_drop.expect_tx", arriveWords, "?=state [bar] bytes"},
	{Async, "mbarrier.arrive_drop.noComplete", arriveWords, "?=state [bar] count"},
	{Async, "mbarrier.test_wait", waitWords, "=done [bar] state"},
	{Async, "mbarrier.test_wait.parity", waitWords, "=done [bar] parity"},
	{Async, "mbarrier.try_wait", waitWords, "=done [bar] state ?time"},
	{Async, "mbarrier.try_wait.parity", waitWords, "=done [bar] parity ?time"},
	{Async, "mbarrier.pending_count", "type=b64", "=count state"},
	{Async, "cp.async.mbarrier.arrive", "?noinc=noinc ?bar=shared|shared::cta type=b64", "[bar]"},

	// Bulk copies; stores and reductions that complete on an mbarrier ("cp.async.bulk", "st.async",
	// "red.async").
	{
		Async, "cp.async.bulk",
		"to=shared::cluster|shared::cta|global from=global|shared::cta done=mbarrier::complete_tx::bytes|bulk_group " +
			"?many=multicast::cluster ?mask=cp_mask ?oob=ignore_oob HINTS",
		"[to] [from] size ~left/ignore_oob ~right/ignore_oob [bar]/mbarrier::complete_tx::bytes ctas/multicast::cluster" + cachePolicy + " bytes/cp_mask",
	},
	{
		Async, "cp.reduce.async.bulk",
		"to=shared::cluster|global from=shared::cta done=mbarrier::complete_tx::bytes|bulk_group HINTS " +
			"update=and|or|xor|add|inc|dec|min|max ?ftz=noftz type=u32|s32|u64|s64|b32|b64|f16|bf16|f32|f64",
		"[to] [from] size [bar]/mbarrier::complete_tx::bytes",
	},
	{Async, "cp.async.bulk.commit_group", "", ""},
	{Async, "cp.async.bulk.wait_group", "?read=read", "pending"},
	{Async, "cp.async.bulk.prefetch.L2", "from=global HINTS", "[from] size"},
	{
		St, "st.async",
		"?mmio=mmio ?sem=weak|release ?scope=cluster|gpu|sys ?to=shared::cluster|global ?done=mbarrier::complete_tx::bytes " +
			"?several=v2|v4 type=b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64",
		"[to] {value [bar]/mbarrier::complete_tx::bytes",
	},
	{
		Red, "red.async",
		"?mmio=mmio ?sem=relaxed|release ?scope=cluster|gpu|sys ?to=shared::cluster|global ?done=mbarrier::complete_tx::bytes " +
			"update=inc|dec|min|max|add|and|or|xor type=u32|s32|u64|b32",
		"[to] value [bar]/mbarrier::complete_tx::bytes",
	},
	{St, "st.bulk", "?sem=weak ?to=shared::cta", "[to] size value"},

	// Tensor copies and tensor maps.
	{
		Async, "cp.async.bulk.tensor",
		tensorWords + "to=shared::cluster|shared::cta|global from=global|shared::cta done=mbarrier::complete_tx::bytes|bulk_group " +
			"?mode=tile|tile::gather4|tile::scatter4|im2col|im2col::w|im2col::w::128|im2col_no_offs ?many=multicast::cluster ?pair=cta_group::1|cta_group::2 HINTS",
		"[to]/mbarrier::complete_tx::bytes <map [bar]/mbarrier::complete_tx::bytes [from]/bulk_group " +
			"~offsets/im2col ~offsets/im2col::w ~offsets/im2col::w::128 ctas/multicast::cluster",
	},
	{
		Async, "cp.reduce.async.bulk.tensor",
		tensorWords + "to=global from=shared::cta done=bulk_group ?mode=tile|im2col_no_offs update=and|or|xor|add|inc|dec|min|max HINTS",
		"<map [from]",
	},
	{
		Async, "cp.async.bulk.prefetch.tensor",
		tensorWords + "level=L2 from=global ?mode=tile|tile::gather4|im2col|im2col::w|im2col::w::128 HINTS",
		"<map ~offsets/im2col ~offsets/im2col::w ~offsets/im2col::w::128",
	},
	{Prefetch, "prefetch.tensormap", "", "[map]"},
	{Prefetch, "prefetch.param.tensormap", "", "[map]"},
	{Prefetch, "prefetch.const.tensormap", "", "[map]"},
	{
		Async, "tensormap.replace.tile",
		"field=global_address|rank|box_dim|global_dim|global_stride|element_stride|elemtype|interleave_layout|swizzle_mode|swizzle_atomicity|fill_mode " +
			"?map=global|shared::cta size=b1024 type=b32|b64",
		"[map] ~ord/box_dim ~ord/global_dim ~ord/global_stride ~ord/element_stride value",
	},
	{
		Async, "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release",
		"scope=cta|cluster|gpu|sys sync=sync aligned=aligned",
		"[map] [from] size",
	},

	// Matrices of warpgroups ("wgmma").
	{
		Matrix, "wgmma.mma_async",
		together + "shape=" + matrixShapes() + " dtype=f16|f32|s32 atype=" + matrixTypes + " btype=" + matrixTypes +
			" ?satfinite=satfinite ?and=and ?popc=popc",
		"}d @a @b add ?~imm ?~imm ?~imm ?~imm",
	},
	{Matrix, "wgmma.fence", together, ""},
	{Matrix, "wgmma.commit_group", together, ""},
	{Matrix, "wgmma.wait_group", together, "pending"},

	// Tensor memory ("tcgen05").
	{Matrix, "tcgen05.mma", oneGroup + "kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8", "[d] @a @b ~idesc -disabled add ?~scale"},
	{
		Matrix, "tcgen05.cp",
		oneGroup + "shape=128x256b|4x256b|128x128b|64x128b|32x128b ?multicast=warpx2::02_13|warpx2::01_23|warpx4",
		"[d] @b",
	},
	{Matrix, "tcgen05.ld", tensorShape + "?pack=pack::16b type=b32", "}registers [d] ?~half"},
	{Matrix, "tcgen05.st", tensorShape + "?unpack=unpack::16b type=b32", "[d] {value ?~half"},
	{Matrix, "tcgen05.wait::ld", together, ""},
	{Matrix, "tcgen05.wait::st", together, ""},
	{Matrix, "tcgen05.commit", oneGroup + "how=mbarrier::arrive::one ?bar=shared::cluster type=b64", "[bar]"},
	{Fence, "tcgen05.fence::before_thread_sync", "", ""},
	{Fence, "tcgen05.fence::after_thread_sync", "", ""},

	// Fences for asynchronous operations, between proxies, and for one state space
	// ("membar/fence").
	{Fence, "fence.proxy.async.global", "", ""},
	{Fence, "fence.proxy.async.shared::cta", "", ""},
	{Fence, "fence.proxy.async.shared::cluster", "", ""},
	{Fence, "fence.mbarrier_init", "sem=release scope=cluster", ""},
	{Fence, "fence.acquire.sync_restrict::shared::cluster", "scope=cluster", ""},
	{Fence, "fence.release.sync_restrict::shared::cta", "scope=cluster", ""},
	{Fence, "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster", "scope=cluster", ""},
	{Fence, "fence.proxy.async::generic.release.sync_restrict::shared::cta", "scope=cluster", ""},
	{Fence, "fence.proxy.tensormap::generic.release", "scope=cta|cluster|gpu|sys", ""},
	{Fence, "fence.proxy.tensormap::generic.acquire", "scope=cta|cluster|gpu|sys", "[map] size"},

	// The shared memory of a cluster.
	{Cluster, "mapa", "?space=shared::cluster type=u32|u64", "=to from rank"},
	{Cluster, "getctarank", "?space=shared::cluster type=u32|u64", "=to from"},

	// What changes nothing that a thread could see.
	{Createpolicy, "createpolicy.fractional", priorities, "=policy ?~fraction"},
	{Createpolicy, "createpolicy.range", "?space=global " + priorities, "=policy [from] primary total"},
	{Createpolicy, "createpolicy.cvt.L2", "type=b64", "=policy property"},
	{Launch, "setmaxnreg", "change=inc|dec sync=sync aligned=aligned type=u32", "count"},
	{Elect, "elect.sync", "", "|elected mask"},
	{Launch, "griddepcontrol", "what=launch_dependents|wait", ""},
}

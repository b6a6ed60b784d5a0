package optcheck

import (
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// The machine code of PTX instructions, on all targets from sm_70 to sm_90:
//
//	ld, st                      weak access                     LDG.E STG.E (sm_75: LDG.E.SYS)
//	.relaxed.cta .ca .wb        strong access of the CTA        .STRONG.SM (sm_75: .STRONG.CTA)
//	.relaxed.cluster .gpu .cg   strong access of the GPU        .STRONG.GPU
//	.relaxed.sys .volatile .cv .wt                              .STRONG.SYS
//	.mmio                                                       .MMIO.SYS
//	ld.acquire.S                strong load, CCTL.IVALL         no CCTL.IVALL for cta
//	st.release.S                MEMBAR.ALL.S, strong store
//	atom.acq_rel.S              MEMBAR.ALL.S, atomic, CCTL.IVALL
//	membar, fence.sc.S          MEMBAR.SC.S, CCTL.IVALL         likewise
//	fence.acq_rel.S             MEMBAR.ALL.S, CCTL.IVALL        likewise
//	fence.release.S             MEMBAR.ALL.S
//	fence.acquire.S             CCTL.IVALL                      nothing for cta
//	shared memory               LDS STS ATOMS                   CCTL.IVALL only for sm_90
//	bar                         BAR.SYNC
//	barrier.cluster.arrive      MEMBAR.ALL.GPU, UCGABAR_ARV     no MEMBAR if it is relaxed;
//	                                                            kernels are .explicitcluster
//	barrier.cluster.wait        UCGABAR_WAIT, CCTL.IVALL
//	fence.proxy.alias           MEMBAR.SC.GPU or .SYS, as the   CCTL.IVALL
//	                            driver says in the constant bank
//	fence.proxy.async           MEMBAR.ALL.GPU                  sm_90; narrower ones: narrowFences
//	.shared::cluster            LD ST ATOM, generic, with the   ATOM for red, too
//	                            strength that global memory has
//
// Measured with ptxas 12.9 for sm_75, sm_80, sm_86, sm_89 and sm_90, with -O0 and -O3. ERRBAR
// and CGAERRBAR, which follow a MEMBAR, report errors and order nothing.

// cacheStrengths are the strengths of accesses with a cache operator (PTX ISA, "Cache Operators").
var cacheStrengths = map[ptx.CacheOp]strength{
	ptx.CacheNone: weak, ptx.CacheCA: cta, ptx.CacheWB: cta, ptx.CacheCG: gpu, ptx.CacheCV: system, ptx.CacheWT: system,
}

var scopeStrengths = map[event.Scope]strength{
	event.ScopeNone: system, event.ScopeCTA: cta, event.ScopeCluster: gpu, event.ScopeGPU: gpu, event.ScopeSys: system,
}

// isStrong reports whether an order makes an access strong.
func isStrong(o event.Order) bool { return o != event.OrderNone && o != event.Weak }

// strengthOf returns the strength of an access of a test. Atomics are strong: those without an
// order are relaxed.gpu (PTX ISA, "atom").
func strengthOf(in *ptx.Instr) strength {
	switch {
	case in.Op.MMIO:
		return mmio
	case in.Op.Volatile:
		return system
	case isStrong(in.Order()):
		return scopeStrengths[in.Scope()]
	case in.Op.Class() == isa.ClassAtomic:
		return gpu
	}
	return cacheStrengths[in.Cache()]
}

// narrowFences are the machine code of fences with pages of their own, for sm_90 and sm_100: those
// of some proxies and of one state space (PTX ISA, "membar/fence"). FENCE.VIEW, which some have,
// too, concerns proxies and is not compared.
var narrowFences = map[string][]operation{
	"fence.mbarrier_init":      nil,
	"fence.proxy.async.global": nil,
	"fence.proxy.async.shared::cta": {
		{kind: fence, strength: cta, function: "ALL"},
	},
	"fence.proxy.async.shared::cluster": {
		{kind: fence, strength: gpu, function: "ALL"},
	},
	"fence.acquire.sync_restrict::shared::cluster": nil,
	"fence.release.sync_restrict::shared::cta": {
		{kind: fence, strength: cta, function: "ALL"},
	},
	"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster": nil,
	"fence.proxy.async::generic.release.sync_restrict::shared::cta": {
		{kind: fence, strength: cta, function: "ALL"},
	},
	"fence.proxy.tensormap::generic.release": {{kind: fence, strength: gpu, function: "ALL", orMore: true}},
}

// operationsOf lists the operations to which an instruction of the test is compiled. The place and
// dependencies of an access are added later.
func operationsOf(in *ptx.Instr, where space, target harness.Target) (all []operation) {
	order, reach := in.Order(), scopeStrengths[in.Scope()]
	add := func(o operation) {
		o.text = in.At.Text()
		all = append(all, o)
	}
	if form := machineForms[in.Page()]; form != nil {
		for _, o := range form(in) {
			add(o)
		}
		return all
	}
	if narrow, listed := narrowFences[in.Page()]; listed {
		for _, o := range narrow {
			add(o)
		}
		return all
	}
	switch {
	case in.Op.ProxyFence && in.Op.Proxy == isa.ProxyAlias:
		add(operation{kind: fence, strength: gpu, orMore: true, function: "SC"})
		add(operation{kind: invalidation})
		return all
	case in.Op.Class() == isa.ClassBarrier && in.Scope() == event.ScopeCluster:
		return clusterOperations(in)
	case in.Op.ProxyFence:
		add(operation{kind: fence, strength: gpu, function: "ALL"})
		return all
	}
	releases := order == event.Release || order == event.AcqRel || order == event.SC
	if releases {
		function := "ALL"
		if order == event.SC {
			function = "SC"
		}
		add(operation{kind: fence, strength: reach, function: function})
	}
	switch in.Op.Class() {
	case isa.ClassAccess, isa.ClassAtomic:
		add(accessOf(in, where))
	case isa.ClassBarrier:
		add(operation{kind: barrier})
	}
	if isAcquire(order) && reach > cta && (where != inShared || target >= harness.SM90) {
		add(operation{kind: invalidation})
	}
	return all
}

// clusterOperations are those of the barrier of a cluster: an arrival releases unless it is
// relaxed, and a wait acquires.
func clusterOperations(in *ptx.Instr) (all []operation) {
	text := in.At.Text()
	if in.Op.Meeting == isa.Wait {
		return []operation{{kind: barrier, function: "WAIT", text: text}, {kind: invalidation, text: text}}
	}
	if in.Order() != event.Relaxed {
		all = append(all, operation{kind: fence, strength: gpu, function: "ALL", text: text})
	}
	return append(all, operation{kind: barrier, function: "ARV", text: text})
}

// kinds maps accesses to kinds of operations.
var kinds = map[isa.Code]kind{isa.Ld: load, isa.St: store, isa.Atom: atomic, isa.Red: reduction}

func accessOf(in *ptx.Instr, where space) operation {
	o := operation{kind: kinds[in.Op.Code], bits: in.Type(0).Bits * max(1, in.Op.Vector), space: where}
	if where != inShared {
		o.strength = strengthOf(in)
	}
	if o.kind == atomic || o.kind == reduction {
		o.function = functionOf(in)
	}
	return o
}

// functionOf returns the function of an atomic as kernels write it: sub adds the negative, and so
// do inc and dec without an operand (ASPLOS 2015, Table 5).
func functionOf(in *ptx.Instr) string {
	switch op := in.Op.Update; {
	case op == isa.UpdateSub, (op == isa.UpdateInc || op == isa.UpdateDec) && len(in.Srcs) == 0:
		return "ADD"
	default:
		return strings.ToUpper(op.String())
	}
}

// operates reports whether an instruction is compiled to memory operations.
func operates(in *ptx.Instr) bool {
	if machineForms[in.Page()] != nil {
		return true
	}
	switch in.Op.Class() {
	case isa.ClassAccess, isa.ClassAtomic:
		return in.Addr != nil
	case isa.ClassFence, isa.ClassBarrier:
		return true
	}
	return false
}

func isAcquire(o event.Order) bool { return o == event.Acquire || o == event.AcqRel || o == event.SC }

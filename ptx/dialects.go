package ptx

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
)

func init() {
	dialects["GPU_PTX"] = &dialect{arch: "GPU_PTX", opcodes: gpuPTX()}
	dialects["PTX"] = &dialect{arch: "PTX", opcodes: scopedPTX(), bare: true}
	for _, op := range dialects["GPU_PTX"].opcodes {
		op.loose = true
		op.restrict(typeMod, typesOf2015)
	}
	for name, op := range dialects["PTX"].opcodes {
		op.restrict(typeMod, typesOf[name])
	}
}

// restrict leaves the opcode only the given modifiers of a class.
func (o *opcode) restrict(c class, names string) {
	only := maps.Clone(o.only)
	if only == nil {
		only = map[class][]string{}
	}
	only[c] = strings.Fields(names)
	o.only = only
}

// The cache operators of loads and stores, the default first (PTX ISA, "Cache
// Operators").
var (
	loadCaches  = []string{"ca", "cg", "cv"}
	storeCaches = []string{"wb", "cg", "wt"}
)

// computation is an instruction that sets a register to one operation on its sources.
func computation(op arith.Op, operands string) *opcode {
	return &opcode{takes: typeMod, types: 1, operands: operands, computes: op, step: (*walk).alu}
}

// common is the arithmetic and the branches that both dialects have.
func common() map[string]*opcode {
	return map[string]*opcode{
		"bra":  {takes: uniMod, operands: "l", step: (*walk).branch},
		"mov":  computation(arith.Wrap, "ds"),
		"cvt":  {takes: typeMod, types: 2, operands: "ds", step: (*walk).convert},
		"setp": {takes: cmpMod | typeMod, needs: cmpMod, types: 1, operands: "dss", step: (*walk).compare},
		"selp": {takes: typeMod, types: 1, operands: "dsss", computes: arith.Select, step: (*walk).alu},
		"add":  computation(arith.Add, "dss"),
		"sub":  computation(arith.Sub, "dss"),
		"and":  computation(arith.And, "dss"),
		"or":   computation(arith.Or, "dss"),
		"xor":  computation(arith.Xor, "dss"),
		"min":  computation(arith.Min, "dss"),
		"max":  computation(arith.Max, "dss"),
	}
}

// gpuPTX is the PTX of the paper (ASPLOS 2015, Sec. 2.3), which has no orders and
// scopes of accesses. Today's text gives them those of its defaults: a plain access is
// weak, a volatile one relaxed.sys, an atomic relaxed.gpu, and membar is fence.sc.
func gpuPTX() map[string]*opcode {
	access := spaceMod | cacheMod | volatileMod | typeMod | hintMod
	atomic := spaceMod | typeMod | atomMod | hintMod
	spaces := []string{"global", "shared"}
	operations := map[class][]string{
		atomMod: {"cas", "exch", "add", "inc", "dec", "and", "or", "xor", "min", "max"}, spaceMod: spaces,
	}
	ops := common()
	maps.Copy(ops, map[string]*opcode{
		"ld": {
			takes: access, only: map[class][]string{cacheMod: loadCaches, spaceMod: spaces}, types: 1,
			operands: "da", order: event.Weak, step: (*walk).load,
		},
		"st": {
			takes: access, only: map[class][]string{cacheMod: storeCaches, spaceMod: spaces}, types: 1,
			operands: "as", order: event.Weak, step: (*walk).store,
		},
		"atom": {
			takes: atomic, needs: atomMod, only: operations, types: 1, operands: "das?s?",
			order: event.Relaxed, scope: event.ScopeGPU, step: (*walk).atomic,
		},
		"red": {
			takes: atomic, needs: atomMod, only: operations, types: 1, operands: "as?s?",
			order: event.Relaxed, scope: event.ScopeGPU, step: (*walk).atomic,
		},
		"membar": membar(scopeMod),
	})
	return ops
}

// membar is the fence of before PTX 6.0: fence.sc of the same level (PTX ISA,
// "membar").
func membar(needs class) *opcode {
	return &opcode{
		takes: scopeMod, needs: needs, only: map[class][]string{scopeMod: {"cta", "gl", "sys"}},
		order: event.SC, step: (*walk).fence,
	}
}

// scopedPTX is PTX since 6.0, in the spelling of the manual and in that of litmus tests,
// where a bare location is its address (PTX ISA, "Memory Consistency Model" and the
// instructions by name).
func scopedPTX() map[string]*opcode {
	ops := common()
	maps.Copy(ops, accesses("ld", "st", "atom", "red", ProxyGeneric))
	maps.Copy(ops, accesses("suld", "sust", "suatom", "sured", ProxySurface))
	maps.Copy(ops, accesses("tld", "", "", "", ProxyTexture))
	maps.Copy(ops, accesses("cold", "", "", "", ProxyConstant))
	maps.Copy(ops, barriers())
	maps.Copy(ops, moreArithmetic())
	maps.Copy(ops, withoutEffect())
	ops["membar"] = membar(0)
	ops["membar"].takes |= proxyMod | proxyKindMod
	ops["fence"] = &opcode{
		takes: orderMod | scopeMod | proxyMod | proxyKindMod, order: event.AcqRel, step: (*walk).fence,
		only: map[class][]string{
			orderMod: {"sc", "acq_rel", "acquire", "release"}, scopeMod: {"cta", "cluster", "gpu", "sys"},
		},
	}
	return ops
}

// accesses is the loads, stores and atomics through one proxy; "" leaves one out.
func accesses(load, store, atom, red string, proxy Proxy) map[string]*opcode {
	scopes := []string{"cta", "cluster", "gpu", "sys"}
	takes := spaceMod | unsharedMod | cacheMod | volatileMod | mmioMod | orderMod | scopeMod | typeMod | vectorMod | hintMod
	atomic := spaceMod | typeMod | atomMod | orderMod | scopeMod | hintMod
	orders := map[class][]string{
		orderMod: {"relaxed", "acquire", "release", "acq_rel"}, scopeMod: scopes,
		atomMod: slices.Sorted(maps.Keys(operations)),
	}
	ops := map[string]*opcode{
		load: {
			takes: takes, types: 1, operands: "dm", order: event.Weak, step: (*walk).load,
			only: map[class][]string{
				cacheMod: loadCaches, orderMod: {"weak", "relaxed", "acquire"}, scopeMod: scopes,
			},
		},
		store: {
			takes: takes, types: 1, operands: "as", order: event.Weak, step: (*walk).store,
			only: map[class][]string{
				cacheMod: storeCaches, orderMod: {"weak", "relaxed", "release"}, scopeMod: scopes, unsharedMod: {"local"},
			},
		},
		atom: {
			takes: atomic, needs: atomMod, only: orders, types: 1, operands: "das?s?",
			order: event.Relaxed, scope: event.ScopeGPU, step: (*walk).atomic,
		},
		red: {
			takes: atomic, needs: atomMod, only: orders, types: 1, operands: "as?s?",
			order: event.Relaxed, scope: event.ScopeGPU, step: (*walk).atomic,
		},
	}
	delete(ops, "")
	for _, op := range ops {
		op.proxy = proxy
		if proxy != ProxyGeneric {
			op.takes &^= cacheMod
		}
	}
	return ops
}

// barriers is bar and barrier: "bar.cta.sync I, ID, COUNT" of litmus tests, and the
// manual's bar.sync, barrier.sync and barrier.cluster.
func barriers() map[string]*opcode {
	takes := barrierMod | scopeMod | alignedMod | atomMod | typeMod
	return map[string]*opcode{
		"bar": {
			takes: takes | warpMod, needs: barrierMod, types: 1, operands: "s?s?s?", step: (*walk).barrier,
			only: map[class][]string{scopeMod: {"cta"}, barrierMod: {"sync", "arrive", "red"}, atomMod: reductions},
		},
		"barrier": {
			takes: takes | orderMod, needs: barrierMod, types: 1, operands: "s?s?", step: (*walk).barrier,
			only: map[class][]string{
				scopeMod: {"cta", "cluster"}, orderMod: {"release", "acquire", "relaxed"}, atomMod: reductions,
			},
		},
	}
}

// moreArithmetic is what only PTX tests have: the compare-and-branch of litmus tests,
// and more of the manual.
func moreArithmetic() map[string]*opcode {
	ops := map[string]*opcode{
		"goto": {operands: "l", step: (*walk).branch},
		"div":  computation(arith.Div, "dss"),
		"rem":  computation(arith.Rem, "dss"),
		"shl":  computation(arith.Shl, "dss"),
		"shr":  computation(arith.Shr, "dss"),
		"cvta": computation(arith.Wrap, "ds"),
		"ret":  {takes: uniMod, ends: true, step: (*walk).exit},
		"exit": {ends: true, step: (*walk).exit},
	}
	for name, formula := range formulas {
		ops[name] = &opcode{takes: typeMod, types: 1, operands: "ds", formula: formula, step: (*walk).formula}
	}
	for name, operands := range map[string]string{
		"mul": "dss", "mad": "dsss", "bfe": "dsss", "bfi": "dssss", "lop3": "dsssi", "shf": "dsss",
	} {
		ops[name].operands = operands
	}
	ops["mul"].takes |= halfMod
	ops["mad"].takes |= halfMod
	ops["shf"].takes |= directionMod | clampMod
	ops["shf"].needs = directionMod | clampMod
	ops["cvta"].takes |= toMod | spaceMod | unsharedMod
	ops["cvta"].either = spaceMod | unsharedMod
	for name := range branchComparisons {
		ops[name] = &opcode{operands: "ssl", step: (*walk).compareAndBranch}
	}
	return ops
}

// withoutEffect is what only takes time or says what is used next.
func withoutEffect() map[string]*opcode {
	cache := spaceMod | unsharedMod | hintMod
	spaces := map[class][]string{spaceMod: {"global"}, unsharedMod: {"local"}}
	nothing := func(*walk, *Instr) error { return nil }
	return map[string]*opcode{
		"nanosleep":     {takes: typeMod, types: 1, operands: "s", step: nothing},
		"prefetch":      {takes: cache, needs: hintMod, only: spaces, operands: "a", step: nothing},
		"prefetchu":     {takes: hintMod, needs: hintMod, operands: "a", step: nothing},
		"applypriority": {takes: cache, needs: hintMod, only: spaces, operands: "as", step: nothing},
	}
}

// branchComparisons are the branches of litmus tests that compare, and how.
var branchComparisons = map[string]arith.Op{
	"beq": arith.Eq, "bne": arith.Ne, "blt": arith.Lt, "ble": arith.Le, "bgt": arith.Gt, "bge": arith.Ge,
}

// updates are the operations of atom and red that compute from the old value (PTX
// ISA, "atom").
var updates = map[string]arith.Op{
	"add": arith.Add, "sub": arith.Sub, "and": arith.And, "or": arith.Or, "xor": arith.Xor,
	"min": arith.Min, "max": arith.Max, "inc": arith.Inc, "dec": arith.Dec,
}

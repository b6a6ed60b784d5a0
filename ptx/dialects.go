package ptx

import (
	"maps"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
)

// makeDialects reads the tables. It takes milliseconds, so it waits for the first test.
func makeDialects() map[string]*dialect {
	tables := map[string]*dialect{
		"GPU_PTX": {arch: "GPU_PTX", opcodes: gpuPTX()},
		"PTX":     {arch: "PTX", opcodes: scopedPTX(), forms: formsOf(copies, mbarriers, bulkCopies, tensors, matrices, tensorMemory, asyncFences, clusterPages, hintPages), bare: true},
	}
	for _, op := range tables["GPU_PTX"].opcodes {
		op.loose = true
		op.restrict(typeMod, typesOf2015)
	}
	for name, op := range tables["PTX"].opcodes {
		op.restrict(typeMod, typesOfOpcode(name, op))
	}
	return tables
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
// Operators"). .cs and .lu are the default, and say that nobody is likely to want that line again; the tests of 2015 had neither.
var (
	loadCaches  = []string{"ca", "cg", "cv"}
	storeCaches = []string{"wb", "cg", "wt"}
)

// computation is an instruction that only sets a register.
func computation(code isa.Code, operands string) *opcode {
	return &opcode{code: code, takes: typeMod, types: 1, operands: operands}
}

// computations are several of them.
func computations(operands string, codes ...isa.Code) map[string]*opcode {
	ops := map[string]*opcode{}
	for _, code := range codes {
		ops[code.String()] = computation(code, operands)
	}
	return ops
}

// common is the arithmetic and the branches that both dialects have.
func common() map[string]*opcode {
	ops := computations("dss", isa.Add, isa.Sub, isa.And, isa.Or, isa.Xor, isa.Min, isa.Max)
	ops["bra"] = &opcode{code: isa.Bra, takes: uniMod, operands: "l"}
	ops["mov"] = computation(isa.Mov, "ds")
	ops["selp"] = computation(isa.Selp, "dsss")
	ops["cvt"] = computation(isa.Cvt, "ds")
	ops["cvt"].types = 2
	ops["setp"] = computation(isa.Setp, "dss")
	ops["setp"].takes |= cmpMod
	ops["setp"].needs = cmpMod
	return ops
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
			code: isa.Ld, takes: access, only: map[class][]string{cacheMod: loadCaches, spaceMod: spaces}, types: 1,
			operands: "da", order: event.Weak,
		},
		"st": {
			code: isa.St, takes: access, only: map[class][]string{cacheMod: storeCaches, spaceMod: spaces}, types: 1,
			operands: "as", order: event.Weak,
		},
		"atom": {
			code: isa.Atom, takes: atomic, needs: atomMod, only: operations, types: 1, operands: "das?s?",
			order: event.Relaxed, scope: event.ScopeGPU,
		},
		"red": {
			code: isa.Red, takes: atomic, needs: atomMod, only: operations, types: 1, operands: "as?s?",
			order: event.Relaxed, scope: event.ScopeGPU,
		},
		"membar": membar(scopeMod),
	})
	return ops
}

// membar is the fence of before PTX 6.0: fence.sc of the same level (PTX ISA,
// "membar").
func membar(needs class) *opcode {
	return &opcode{
		code: isa.Membar, takes: scopeMod, needs: needs, only: map[class][]string{scopeMod: {"cta", "gl", "sys"}},
		order: event.SC,
	}
}

// scopedPTX is PTX since 6.0, in the spelling of the manual and in that of litmus tests,
// where a bare location is its address (PTX ISA, "Memory Consistency Model" and the
// instructions by name).
func scopedPTX() map[string]*opcode {
	ops := arithmetic()
	maps.Copy(ops, common())
	for _, name := range []string{"add", "sub", "cvt"} {
		ops[name].takes |= saturateMod
	}
	for _, name := range []string{"min", "max"} {
		ops[name].takes |= reluMod
	}
	for _, name := range []string{"add", "sub", "mad", "addc", "subc", "madc"} {
		ops[name].takes |= carryMod
	}
	ops["set"].takes |= cmpMod
	ops["set"].needs = cmpMod
	for _, name := range []string{"setp", "set"} {
		ops[name].takes |= combineMod
		ops[name].own = comparing
	}
	maps.Copy(ops, accesses("ld", "st", "atom", "red", ProxyGeneric))
	maps.Copy(ops, accesses("suld", "sust", "suatom", "sured", ProxySurface))
	maps.Copy(ops, accesses("tld", "", "", "", ProxyTexture))
	maps.Copy(ops, accesses("cold", "", "", "", ProxyConstant))
	maps.Copy(ops, barriers())
	maps.Copy(ops, moreControl())
	maps.Copy(ops, withoutEffect())
	ops["membar"] = membar(0)
	ops["membar"].takes |= proxyMod | proxyKindMod
	ops["fence"] = &opcode{
		code: isa.Fence, takes: orderMod | scopeMod | proxyMod | proxyKindMod, order: event.AcqRel,
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
	atomic := spaceMod | typeMod | atomMod | orderMod | scopeMod | hintMod | vectorMod | ftzMod
	orders := map[class][]string{
		orderMod: {"relaxed", "acquire", "release", "acq_rel"}, scopeMod: scopes,
		atomMod: operationNames(),
	}
	ops := map[string]*opcode{
		load: {
			code: isa.Ld, takes: takes, types: 1, operands: "dm", order: event.Weak,
			only: map[class][]string{
				cacheMod: append(loadCaches, "cs", "lu"), orderMod: {"weak", "relaxed", "acquire"}, scopeMod: scopes,
			},
		},
		store: {
			code: isa.St, takes: takes, types: 1, operands: "as", order: event.Weak,
			only: map[class][]string{
				cacheMod: append(storeCaches, "cs"), orderMod: {"weak", "relaxed", "release"}, scopeMod: scopes, unsharedMod: {"local"},
			},
		},
		atom: {
			code: isa.Atom, takes: atomic, needs: atomMod, only: orders, types: 1, operands: "das?s?",
			order: event.Relaxed, scope: event.ScopeGPU,
		},
		red: {
			code: isa.Red, takes: atomic, needs: atomMod, only: orders, types: 1, operands: "as?s?",
			order: event.Relaxed, scope: event.ScopeGPU,
		},
	}
	delete(ops, "")
	for _, op := range ops {
		op.proxy = proxy
		if proxy != ProxyGeneric {
			op.takes &^= cacheMod
		}
	}
	if proxy == ProxyGeneric {
		ops[load].takes |= readOnlyMod
	}
	return ops
}

// barriers is bar and barrier: "bar.cta.sync I, ID, COUNT" of litmus tests, and the
// manual's bar.sync, barrier.sync and barrier.cluster.
func barriers() map[string]*opcode {
	takes := barrierMod | scopeMod | alignedMod | atomMod | typeMod
	return map[string]*opcode{
		"bar": {
			code: isa.Bar, takes: takes | warpMod, needs: barrierMod, types: 1, operands: "s?s?s?",
			only: map[class][]string{scopeMod: {"cta"}, barrierMod: {"sync", "arrive", "red"}, atomMod: updateWords(reductions)},
		},
		"barrier": {
			code: isa.Barrier, takes: takes | orderMod, needs: barrierMod, types: 1, operands: "s?s?",
			only: map[class][]string{
				scopeMod: {"cta", "cluster"}, orderMod: {"release", "acquire", "relaxed"}, atomMod: updateWords(reductions),
			},
		},
	}
}

// arithmetic is all arithmetic of the manual for which refused gives no reason against it.
func arithmetic() map[string]*opcode {
	ops := map[string]*opcode{}
	for _, code := range isa.Arithmetic() {
		if name := code.String(); refused[name] == "" {
			ops[name] = computation(code, "d"+strings.Repeat("s", code.Sources()))
		}
	}
	for _, name := range []string{"mul", "mad", "madc", "mul24", "mad24"} {
		ops[name].takes |= halfMod
	}
	for _, name := range []string{"mad", "mad24"} {
		ops[name].takes |= saturateMod
	}
	ops["mul24"].restrict(halfMod, "lo hi")
	ops["mad24"].restrict(halfMod, "lo hi")
	ops["shf"].takes |= directionMod | clampMod
	ops["shf"].needs = directionMod | clampMod
	for _, name := range []string{"bmsk", "szext"} {
		ops[name].takes |= clampMod
		ops[name].needs = clampMod
	}
	ops["lop3"].operands = "dsssi"
	ops["prmt"].takes |= permuteMod
	ops["bfind"].takes |= amountMod
	for _, name := range []string{"dp4a", "dp2a", "set", "slct"} {
		ops[name].types = 2
	}
	ops["dp2a"].takes |= halfMod
	ops["dp2a"].restrict(halfMod, "lo hi")
	return ops
}

// moreControl is what only PTX tests have beside arithmetic: the compare-and-branch of litmus tests, and
// more of the manual.
func moreControl() map[string]*opcode {
	ops := map[string]*opcode{"cvta": computation(isa.Cvta, "ds")}
	ops["cvta"].takes |= toMod | spaceMod | unsharedMod
	ops["cvta"].either = spaceMod | unsharedMod
	ops["goto"] = &opcode{code: isa.Bra, operands: "l"}
	ops["ret"] = &opcode{code: isa.Ret, takes: uniMod}
	ops["exit"] = &opcode{code: isa.Exit}
	for c := isa.Eq; c <= isa.Ge; c++ {
		ops["b"+c.String()] = &opcode{code: isa.Bra, compares: c, operands: "ssl"}
	}
	return ops
}

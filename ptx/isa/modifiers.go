package isa

import "strings"

// group is a set of kinds of modifiers.
type group uint64

const (
	typeMod group = 1 << iota
	spaceMod
	constMod // .nc, a load of what nobody writes
	cacheMod
	volatileMod
	mmioMod
	orderMod
	scopeMod
	vectorMod
	hintMod
	atomMod
	barrierMod
	alignedMod
	warpMod
	proxyMod
	uniMod
	indexMod
	toMod
	halfMod
	carryMod
	roundMod
	satMod
	ftzMod
	approxMod
	testMod
	cmpMod
	boolMod
	sideMod
	clampMod
	permuteMod
	amountMod
	syncMod
	laneMod

	anyMod group = 0 // modifiers are not looked at
)

// modifier is what a suffix says to an instruction that takes its group.
type modifier struct {
	group group
	apply func(*Opcode)
}

// modifiers are by suffix. Some mean different things to different instructions.
var modifiers = map[string][]modifier{}

// define adds suffixes, of which each sets a field to the value of its place in the list.
func define[T any](g group, field func(*Opcode) *T, values []T, names string) {
	i := 0
	for name := range words(names) {
		v := values[i]
		i++
		modifiers[name] = append(modifiers[name], modifier{g, func(o *Opcode) { *field(o) = v }})
	}
}

// mark adds suffixes that set a flag, or all flags that they belong to.
func mark(g group, names string, apply func(*Opcode)) {
	for name := range words(names) {
		modifiers[name] = append(modifiers[name], modifier{g, apply})
	}
}

// upTo counts from the first of an enumeration after its zero to the last.
func upTo[T ~uint8](last T) (all []T) {
	for v := T(1); v <= last; v++ {
		all = append(all, v)
	}
	return all
}

func init() {
	for name, t := range types {
		modifiers[name] = []modifier{{typeMod, func(o *Opcode) { o.Types = append(o.Types, t) }}}
	}
	define(spaceMod, func(o *Opcode) *Space { return &o.Space },
		[]Space{Global, Shared, Local, Const, Param, Shared, SharedCluster, Param, Param},
		"global shared local const param shared::cta shared::cluster param::entry param::func")
	define(cacheMod, func(o *Opcode) *string { return &o.Cache },
		strings.Fields("ca cg cs lu cv wb wt"), "ca cg cs lu cv wb wt")
	define(orderMod, func(o *Opcode) *Order { return &o.Order }, upTo(SC), "weak relaxed acquire release acq_rel sc")
	define(scopeMod, func(o *Opcode) *Scope { return &o.Scope },
		[]Scope{ScopeCTA, ScopeCluster, ScopeGPU, ScopeGPU, ScopeSys}, "cta cluster gl gpu sys")
	define(vectorMod, func(o *Opcode) *int { return &o.Vector }, []int{2, 4, 8}, "v2 v4 v8")
	define(atomMod, func(o *Opcode) *Update { return &o.Update }, upTo(UpdatePopc),
		"cas exch add sub and or xor min max inc dec popc")
	define(barrierMod, func(o *Opcode) *Meeting { return &o.Meeting }, upTo(Wait), "sync arrive red wait")
	define(halfMod, func(o *Opcode) *Half { return &o.Half }, upTo(Wide), "lo hi wide")
	define(roundMod, func(o *Opcode) *string { return &o.Rounding },
		strings.Fields("rn rz rm rp rna rs rni rzi rmi rpi"), "rn rz rm rp rna rs rni rzi rmi rpi")
	define(cmpMod, func(o *Opcode) *Comparison { return &o.Cmp },
		append(upTo(NaN), Lt, Le, Gt, Ge), "eq ne lt le gt ge equ neu ltu leu gtu geu num nan lo ls hi hs")
	define(boolMod, func(o *Opcode) *Update { return &o.Combine }, []Update{UpdateAnd, UpdateOr, UpdateXor}, "and or xor")
	define(permuteMod, func(o *Opcode) *string { return &o.Mode },
		strings.Fields("f4e b4e rc8 ecl ecr rc16"), "f4e b4e rc8 ecl ecr rc16")
	define(laneMod, func(o *Opcode) *string { return &o.Mode },
		strings.Fields("up down bfly idx all any uni ballot mask"), "up down bfly idx all any uni ballot mask")
	define(testMod, func(o *Opcode) *string { return &o.Mode },
		strings.Fields("finite infinite number notanumber normal subnormal"), "finite infinite number notanumber normal subnormal")

	mark(volatileMod, "volatile", func(o *Opcode) { o.Volatile = true })
	mark(mmioMod, "mmio", func(o *Opcode) { o.MMIO = true })
	mark(constMod, "nc", func(o *Opcode) { o.Constant = true })
	mark(warpMod, "warp", func(o *Opcode) { o.Warp = true })
	mark(toMod, "to", func(o *Opcode) { o.To = true })
	mark(carryMod, "cc", func(o *Opcode) { o.SetsCarry = true })
	mark(satMod, "sat", func(o *Opcode) { o.Saturate = true })
	mark(sideMod, "l", func(o *Opcode) { o.Left = true })
	mark(clampMod, "clamp", func(o *Opcode) { o.Clamp = true })
	mark(amountMod, "shiftamt", func(o *Opcode) { o.Amount = true })
	mark(proxyMod, "proxy", func(o *Opcode) { o.Proxy = true })
	mark(sideMod, "r", nothing)
	mark(clampMod, "wrap", nothing)
	mark(alignedMod, "aligned", nothing)
	mark(uniMod, "uni", nothing)
	mark(indexMod, "idx", nothing)
	mark(syncMod, "sync", nothing)
	mark(ftzMod, "ftz noftz", nothing)
	mark(approxMod, "approx full NaN xorsign abs relu", nothing)
	mark(proxyMod, "alias generic surface texture constant async async::global async::shared::cta async::shared::cluster", nothing)
	mark(hintMod, `L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal
		L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B L1 L2`, nothing)
}

// nothing is what a suffix does that changes no value and no access.
func nothing(*Opcode) {}

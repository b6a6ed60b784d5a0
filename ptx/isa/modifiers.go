package isa

import (
	"strings"
	"sync"
)

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
type modifiers map[string][]modifier

// bySuffix is the table of modifiers. It is made when it is first asked for, so that a program that
// decodes nothing does not contain it.
func bySuffix() modifiers {
	suffixTable.Do(func() { suffixTable.modifiers = makeModifiers() })
	return suffixTable.modifiers
}

var suffixTable struct {
	sync.Once
	modifiers
}

// field adds suffixes, of which each sets a field to the value of its place in the list.
func field[T any](all modifiers, g group, of func(*Opcode) *T, values []T, names string) {
	i := 0
	for name := range words(names) {
		v := values[i]
		i++
		all[name] = append(all[name], modifier{g, func(o *Opcode) { *of(o) = v }})
	}
}

// word adds suffixes that are kept as they are written.
func word(all modifiers, g group, of func(*Opcode) *string, names string) {
	field(all, g, of, strings.Fields(names), names)
}

// mark adds suffixes that do all the same.
func (all modifiers) mark(g group, names string, apply func(*Opcode)) {
	for name := range words(names) {
		all[name] = append(all[name], modifier{g, apply})
	}
}

// upTo counts from the first of an enumeration after its zero to the last.
func upTo[T ~uint8](last T) (all []T) {
	for v := T(1); v <= last; v++ {
		all = append(all, v)
	}
	return all
}

func makeModifiers() modifiers {
	all := modifiers{}
	all.setFields()
	all.setWords()
	all.setFlags()
	return all
}

// setFields adds the suffixes of which each is a value of an enumeration.
func (all modifiers) setFields() {
	for name, t := range types {
		all.mark(typeMod, name, func(o *Opcode) { o.Types = append(o.Types, t) })
	}
	field(all, spaceMod, func(o *Opcode) *Space { return &o.Space },
		[]Space{Global, Shared, Local, Const, Param, Shared, SharedCluster, Param, Param},
		"global shared local const param shared::cta shared::cluster param::entry param::func")
	field(all, orderMod, func(o *Opcode) *Order { return &o.Order }, upTo(SC), "weak relaxed acquire release acq_rel sc")
	field(all, scopeMod, func(o *Opcode) *Scope { return &o.Scope },
		[]Scope{ScopeCTA, ScopeCluster, ScopeGPU, ScopeGPU, ScopeSys}, "cta cluster gl gpu sys")
	field(all, vectorMod, func(o *Opcode) *int { return &o.Vector }, []int{2, 4, 8}, "v2 v4 v8")
	field(all, atomMod, func(o *Opcode) *Update { return &o.Update }, upTo(UpdatePopc), listed(updateNames[:]))
	field(all, barrierMod, func(o *Opcode) *Meeting { return &o.Meeting }, upTo(Wait), listed(meetingNames[:]))
	field(all, halfMod, func(o *Opcode) *Half { return &o.Half }, upTo(Wide), listed(halfNames[:]))
	field(all, cmpMod, func(o *Opcode) *Comparison { return &o.Cmp },
		append(upTo(NaN), Lt, Le, Gt, Ge), listed(comparisonNames[:])+" lo ls hi hs")
	field(all, boolMod, func(o *Opcode) *Update { return &o.Combine }, []Update{UpdateAnd, UpdateOr, UpdateXor}, "and or xor")
}

// listed is the names of an enumeration, after that of its zero.
func listed(names []string) string { return strings.Join(names[1:], " ") }

func (all modifiers) setWords() {
	mode := func(o *Opcode) *string { return &o.Mode }
	word(all, cacheMod, func(o *Opcode) *string { return &o.Cache }, "ca cg cs lu cv wb wt")
	word(all, roundMod, func(o *Opcode) *string { return &o.Rounding }, "rn rz rm rp rna rs rni rzi rmi rpi")
	word(all, permuteMod, mode, "f4e b4e rc8 ecl ecr rc16")
	word(all, laneMod, mode, "up down bfly idx all any uni ballot mask")
	word(all, testMod, mode, "finite infinite number notanumber normal subnormal")
}

func (all modifiers) setFlags() {
	all.mark(volatileMod, "volatile", func(o *Opcode) { o.Volatile = true })
	all.mark(mmioMod, "mmio", func(o *Opcode) { o.MMIO = true })
	all.mark(constMod, "nc", func(o *Opcode) { o.Constant = true })
	all.mark(syncMod, "sync", func(o *Opcode) { o.Meeting = Sync })
	all.mark(warpMod, "warp", func(o *Opcode) { o.Warp = true })
	all.mark(toMod, "to", func(o *Opcode) { o.To = true })
	all.mark(carryMod, "cc", func(o *Opcode) { o.SetsCarry = true })
	all.mark(satMod, "sat", func(o *Opcode) { o.Saturate = true })
	all.mark(approxMod, "relu", func(o *Opcode) { o.Relu = true })
	all.mark(sideMod, "l", func(o *Opcode) { o.Left = true })
	all.mark(clampMod, "clamp", func(o *Opcode) { o.Clamp = true })
	all.mark(amountMod, "shiftamt", func(o *Opcode) { o.Amount = true })
	all.mark(proxyMod, "proxy", func(o *Opcode) { o.Proxy = true })
	for g, names := range map[group]string{
		sideMod: "r", clampMod: "wrap", alignedMod: "aligned", uniMod: "uni", indexMod: "idx", ftzMod: "ftz noftz",
		approxMod: "approx full NaN xorsign abs satfinite",
		proxyMod:  "alias generic surface texture constant async async::global async::shared::cta async::shared::cluster",
		hintMod: `L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal
			L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B L1 L2`,
	} {
		all.mark(g, names, nothing)
	}
}

// nothing is what a suffix does that changes no value and no access.
func nothing(*Opcode) {}

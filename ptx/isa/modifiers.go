package isa

import (
	"strings"
	"sync"
)

// Group is a set of kinds of modifiers.
type Group uint64

// The groups that readers of litmus tests ask for.
const (
	TypeMod Group = 1 << iota
	OrderMod
	AtomMod
	CmpMod
	HalfMod
	SatMod // .sat of integers
	ScopeMod
	SpaceMod // .global and .shared
	VectorMod
	FtzMod // .ftz and .noftz

	unsharedMod // the state spaces but .global and .shared
	constMod    // .nc, a load of memory that no thread writes
	cacheMod
	volatileMod
	mmioMod
	hintMod
	barrierMod
	alignedMod
	warpMod
	levelMod // what membar has for a scope
	proxyMod
	proxyKindMod
	uniMod
	indexMod
	toMod
	carryMod
	roundMod
	unitMod // .sat of floating-point numbers
	approxMod
	reluMod // of integers
	testMod
	boolMod
	sideMod
	clampMod
	permuteMod
	amountMod
	syncMod
	laneMod

	anyMod Group = 0 // modifiers are not looked at
)

// modifier is the effect of a suffix on an instruction that takes its group.
type modifier struct {
	group    Group
	dialects Dialect
	apply    func(*Opcode)
}

// modifiers are the modifiers by suffix. Some suffixes have different meanings for different
// instructions.
type modifiers map[string][]modifier

// bySuffix returns the table of modifiers. It is made when it is first asked for, so that a program
// that decodes nothing does not contain it.
func bySuffix() modifiers {
	suffixTable.Do(func() { suffixTable.modifiers = makeModifiers() })
	return suffixTable.modifiers
}

var suffixTable struct {
	sync.Once
	modifiers
}

// field adds suffixes of some dialects. Each sets a field to the value at its index in the list.
func field[T any](all modifiers, g Group, in Dialect, of func(*Opcode) *T, values []T, names string) {
	i := 0
	for name := range words(names) {
		v := values[i]
		i++
		all[name] = append(all[name], modifier{g, in, func(o *Opcode) { *of(o) = v }})
	}
}

// word adds suffixes that are kept as they are written.
func word(all modifiers, g Group, in Dialect, of func(*Opcode) *string, names string) {
	field(all, g, in, of, strings.Fields(names), names)
}

// mark adds suffixes that do all the same.
func (all modifiers) mark(g Group, in Dialect, names string, apply func(*Opcode)) {
	for name := range words(names) {
		all[name] = append(all[name], modifier{g, in, apply})
	}
}

// upTo counts from the first of an enumeration to the last.
func upTo[T ~uint8](first, last T) (all []T) {
	for v := first; v <= last; v++ {
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

// setFields adds the suffixes that are values of an enumeration.
func (all modifiers) setFields() {
	for name, t := range types {
		all.mark(TypeMod, anywhere, name, func(o *Opcode) { o.Types = append(o.Types, t) })
	}
	space := func(o *Opcode) *Space { return &o.Space }
	field(all, SpaceMod, anywhere, space, []Space{Global, Shared}, "global shared")
	field(all, SpaceMod, current, space, []Space{Shared, SharedCluster}, "shared::cta shared::cluster")
	field(all, unsharedMod, anywhere, space, []Space{Local, Const, Param, Param}, "local const param param::entry")
	field(all, unsharedMod, Modules, space, []Space{Param}, "param::func")
	field(all, OrderMod, anywhere, func(o *Opcode) *Order { return &o.Order }, upTo(Weak, SC), "weak relaxed acquire release acq_rel sc")
	scope := func(o *Opcode) *Scope { return &o.Scope }
	field(all, ScopeMod, anywhere, scope, []Scope{ScopeCTA, ScopeCluster, ScopeGPU, ScopeGPU, ScopeSys}, "cta cluster gl gpu sys")
	field(all, levelMod, Litmus|Litmus2015, scope, []Scope{ScopeCTA, ScopeGPU, ScopeSys}, "cta gl sys")
	field(all, VectorMod, anywhere, func(o *Opcode) *int { return &o.Vector }, []int{2, 4, 8}, "v2 v4 v8")
	update := func(o *Opcode) *Update { return &o.Update }
	for u := UpdateCas; u <= UpdatePopc; u++ {
		in := anywhere
		if u == UpdateSub || u == UpdatePopc {
			in = current
		}
		field(all, AtomMod, in, update, []Update{u}, u.String())
	}
	field(all, barrierMod, anywhere, func(o *Opcode) *Meeting { return &o.Meeting }, upTo(Sync, Wait), listed(meetingNames[:]))
	field(all, HalfMod, anywhere, func(o *Opcode) *Half { return &o.Half }, upTo(Low, Wide), listed(halfNames[:]))
	cmp := func(o *Opcode) *Comparison { return &o.Cmp }
	field(all, CmpMod, anywhere, cmp, upTo(Eq, Ge), strings.Join(comparisonNames[Eq:Equ], " "))
	field(all, CmpMod, current, cmp, []Comparison{Lt, Le, Gt, Ge}, unsignedComparisons)
	field(all, CmpMod, Modules, cmp, upTo(Equ, NaN), strings.Join(comparisonNames[Equ:], " "))
	field(all, boolMod, anywhere, func(o *Opcode) *Update { return &o.Combine }, []Update{UpdateAnd, UpdateOr, UpdateXor}, "and or xor")
	proxies := upTo(ProxyGeneric, ProxyAlias)
	field(all, proxyKindMod, anywhere, func(o *Opcode) *Proxy { return &o.Proxy }, proxies, strings.Join(proxyNames[:len(proxies)], " "))
}

// unsignedComparisons are the comparisons of unsigned numbers only: lower, lower or same, higher,
// higher or same.
const unsignedComparisons = "lo ls hi hs"

// listed returns the names of an enumeration, after that of its zero.
func listed(names []string) string { return strings.Join(names[1:], " ") }

func (all modifiers) setWords() {
	mode := func(o *Opcode) *string { return &o.Mode }
	cache := func(o *Opcode) *string { return &o.Cache }
	word(all, cacheMod, anywhere, cache, "ca cg cv wb wt")
	word(all, cacheMod, current, cache, "cs lu") // hints about caching; the tests of 2015 have neither
	word(all, roundMod, anywhere, func(o *Opcode) *string { return &o.Rounding }, "rn rz rm rp rna rs rni rzi rmi rpi")
	word(all, permuteMod, anywhere, mode, "f4e b4e rc8 ecl ecr rc16")
	word(all, laneMod, anywhere, mode, "up down bfly idx all any uni ballot mask")
	word(all, testMod, anywhere, mode, "finite infinite number notanumber normal subnormal")
}

func (all modifiers) setFlags() {
	for _, f := range []struct {
		group Group
		name  string
		apply func(*Opcode)
	}{
		{volatileMod, "volatile", func(o *Opcode) { o.Volatile = true }},
		{mmioMod, "mmio", func(o *Opcode) { o.MMIO = true }},
		{constMod, "nc", func(o *Opcode) { o.Constant = true }},
		{syncMod, "sync", func(o *Opcode) { o.Meeting = Sync }},
		{warpMod, "warp", func(o *Opcode) { o.Warp = true }},
		{toMod, "to", func(o *Opcode) { o.To = true }},
		{carryMod, "cc", func(o *Opcode) { o.SetsCarry = true }},
		{SatMod | unitMod, "sat", func(o *Opcode) { o.Saturate = true }},
		{reluMod | approxMod, "relu", func(o *Opcode) { o.Relu = true }},
		{sideMod, "l", func(o *Opcode) { o.Left = true }},
		{clampMod, "clamp", func(o *Opcode) { o.Clamp = true }},
		{amountMod, "shiftamt", func(o *Opcode) { o.Amount = true }},
		{proxyMod, "proxy", func(o *Opcode) { o.ProxyFence = true }},
		{sideMod, "r", nothing},
		{clampMod, "wrap", nothing},
		{alignedMod, "aligned", nothing},
		{uniMod, "uni", nothing},
		{indexMod, "idx", nothing},
		{FtzMod, "noftz", nothing},
		{hintMod, "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal", nothing},
		{hintMod, "L2::evict_first L2::evict_last L2::64B L2::128B L2::256B L1 L2", nothing},
		{hintMod, "L2::cache_hint", func(o *Opcode) { o.Policy = true }},
	} {
		all.mark(f.group, anywhere, f.name, f.apply)
	}
	all.mark(FtzMod, Modules, "ftz", nothing)
	all.mark(approxMod, Modules, "approx full NaN xorsign abs satfinite", nothing)
	all.mark(proxyKindMod, Modules, "async::global async::shared::cta async::shared::cluster", func(o *Opcode) { o.Proxy = ProxyAsync })
}

// nothing is the effect of a suffix that changes no value and no access.
func nothing(*Opcode) {}

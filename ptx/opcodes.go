package ptx

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
)

// opcode is what the tables know about an instruction.
type opcode struct {
	takes    class              // modifiers it may have
	needs    class              // modifiers it must have
	either   class              // modifiers of which it must have one
	only     map[class][]string // of a class, the modifiers it may have, unless all
	types    int                // how many types it may have
	operands string             // one letter each, see operandRole; ? after an optional one
	order    event.Order        // unless the modifiers say otherwise
	scope    event.Scope        // likewise
	proxy    Proxy
	ends     bool     // ends the thread
	loose    bool     // of the tests of 2015: takes what the manual of today does not list
	computes arith.Op // what an instruction that only computes does with its sources
	formula  formula  // if it takes several operations
	step     func(*walk, *Instr) error
}

// class is a set of kinds of modifiers.
type class uint32

const (
	spaceMod class = 1 << iota
	cacheMod
	volatileMod
	mmioMod
	orderMod
	scopeMod
	typeMod
	vectorMod
	cmpMod
	atomMod
	barrierMod
	proxyMod
	proxyKindMod
	uniMod
	alignedMod
	halfMod
	toMod
	hintMod
	unsharedMod
	directionMod
	warpMod
	clampMod
)

// classNames says what a modifier of a class is.
var classNames = map[class]string{
	cacheMod: "cache operator", orderMod: "order", scopeMod: "scope", vectorMod: "vector",
	mmioMod: ".mmio", volatileMod: ".volatile", spaceMod: "other state space",
}

// exclusivity says that a modifier of one class rules out those of another.
type exclusivity struct{ has, not class }

// exclusive lists modifiers that others rule out (PTX ISA, "ld", "st", "fence").
var exclusive = []exclusivity{
	{volatileMod, cacheMod},
	{volatileMod, orderMod},
	{volatileMod, scopeMod},
	{volatileMod, mmioMod},
	{mmioMod, cacheMod},
	{mmioMod, vectorMod},
	{unsharedMod, spaceMod},
	{unsharedMod, volatileMod},
	{unsharedMod, mmioMod},
	{unsharedMod, scopeMod},
	{proxyMod, orderMod},
	{proxyMod, scopeMod},
}

// modifier is what a dot-suffix means.
type modifier struct {
	class class
	apply func(*Mods)
}

var modifiers = map[string]modifier{
	"global":      {spaceMod, func(m *Mods) { m.Space = Global }},
	"shared":      {spaceMod, func(m *Mods) { m.Space = Shared }},
	"shared::cta": {spaceMod, func(m *Mods) { m.Space = Shared }},
	"const":       {unsharedMod, func(m *Mods) { m.Space = Constant }},
	"param":       {unsharedMod, func(m *Mods) { m.Space = Param }},
	"local":       {unsharedMod, func(m *Mods) { m.Space = Local }},
	"volatile":    {volatileMod, func(m *Mods) { m.Volatile = true }},
	"mmio":        {mmioMod, func(m *Mods) { m.MMIO = true }},
	"uni":         {uniMod, func(*Mods) {}},
	"aligned":     {alignedMod, func(*Mods) {}},
	"lo":          {halfMod, func(m *Mods) { m.Half = "lo" }},
	"hi":          {halfMod, func(m *Mods) { m.Half = "hi" }},
	"wide":        {halfMod, func(m *Mods) { m.Half = "wide" }},
	"l":           {directionMod, func(m *Mods) { m.Left = true }},
	"r":           {directionMod, func(*Mods) {}},
	"clamp":       {clampMod, func(m *Mods) { m.Clamp = true }},
	"wrap":        {clampMod, func(*Mods) {}},
	"to":          {toMod, func(*Mods) {}},
	"proxy":       {proxyMod, func(m *Mods) { m.ProxyFence = true }},
	"v2":          {vectorMod, func(m *Mods) { m.Vector = 2 }},
	"v4":          {vectorMod, func(m *Mods) { m.Vector = 4 }},

	"ca": cacheModifier(CacheCA),
	"cg": cacheModifier(CacheCG),
	"cv": cacheModifier(CacheCV),
	"wb": cacheModifier(CacheWB),
	"wt": cacheModifier(CacheWT),

	"weak":    orderModifier(event.Weak),
	"relaxed": orderModifier(event.Relaxed),
	"acquire": orderModifier(event.Acquire),
	"release": orderModifier(event.Release),
	"acq_rel": orderModifier(event.AcqRel),
	"sc":      orderModifier(event.SC),

	"cta":     scopeModifier(event.ScopeCTA),
	"cluster": scopeModifier(event.ScopeCluster),
	"gl":      scopeModifier(event.ScopeGPU),
	"gpu":     scopeModifier(event.ScopeGPU),
	"sys":     scopeModifier(event.ScopeSys),

	"generic":  proxyModifier(ProxyGeneric),
	"surface":  proxyModifier(ProxySurface),
	"texture":  proxyModifier(ProxyTexture),
	"constant": proxyModifier(ProxyConstant),
	"async":    proxyModifier(ProxyAsync),
	"alias":    proxyModifier(ProxyAlias),

	"s32":  typeModifier(arith.S32),
	"u32":  typeModifier(arith.U32),
	"b32":  typeModifier(arith.U32),
	"s64":  typeModifier(arith.S64),
	"u64":  typeModifier(arith.U64),
	"b64":  typeModifier(arith.U64),
	"pred": typeModifier(arith.Bool),

	// Narrow types, for memory above all.
	"s8": typeModifier(Type{Signed: true, Bits: 8}), "u8": typeModifier(Type{Bits: 8}), "b8": typeModifier(Type{Bits: 8}),
	"s16": typeModifier(Type{Signed: true, Bits: 16}), "u16": typeModifier(Type{Bits: 16}), "b16": typeModifier(Type{Bits: 16}),

	// Numbers of floating point are bits. Of 128 bits the low 64 are kept: no instruction makes others.
	"f32": typeModifier(arith.U32), "f64": typeModifier(arith.U64), "b128": typeModifier(arith.U64),

	"eq": cmpModifier(arith.Eq), "ne": cmpModifier(arith.Ne),
	"lt": cmpModifier(arith.Lt), "le": cmpModifier(arith.Le),
	"gt": cmpModifier(arith.Gt), "ge": cmpModifier(arith.Ge),

	"cas": atomModifier("cas"), "exch": atomModifier("exch"), "add": atomModifier("add"),
	"inc": atomModifier("inc"), "dec": atomModifier("dec"), "and": atomModifier("and"),
	"or": atomModifier("or"), "xor": atomModifier("xor"), "min": atomModifier("min"),
	"max": atomModifier("max"), "sub": atomModifier("sub"), "popc": atomModifier("popc"),
	"warp": {warpMod, func(m *Mods) { m.Warp = true }},

	"sync": barrierModifier("sync"), "arrive": barrierModifier("arrive"),
	"red": barrierModifier("red"), "wait": barrierModifier("wait"),
}

// hints are modifiers that say how likely something is used again, and nothing of what it
// does (PTX ISA, "Cache Eviction Priority Hints", "ld").
var hints = []string{
	"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate",
	"L2::evict_normal", "L2::evict_first", "L2::evict_last", "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B",
	"L1", "L2",
}

func init() {
	for _, name := range hints {
		modifiers[name] = modifier{hintMod, func(m *Mods) { m.Policy = m.Policy || name == "L2::cache_hint" }}
	}
}

func cacheModifier(c CacheOp) modifier {
	return modifier{cacheMod, func(m *Mods) { m.Cache = c }}
}

func orderModifier(o event.Order) modifier {
	return modifier{orderMod, func(m *Mods) { m.Order = o }}
}

func scopeModifier(s event.Scope) modifier {
	return modifier{scopeMod, func(m *Mods) { m.Scope = s }}
}

func proxyModifier(p Proxy) modifier {
	return modifier{proxyKindMod, func(m *Mods) { m.Proxy = p }}
}

func typeModifier(t Type) modifier {
	return modifier{typeMod, func(m *Mods) { m.Types = append(m.Types, t) }}
}

func cmpModifier(c arith.Op) modifier {
	return modifier{cmpMod, func(m *Mods) { m.Cmp = c }}
}

func atomModifier(name string) modifier {
	return modifier{atomMod, func(m *Mods) { m.Atom = name }}
}

func barrierModifier(name string) modifier {
	return modifier{barrierMod, func(m *Mods) { m.Barrier = name }}
}

// accepted lists the modifiers of the given classes, as an error shows them.
func (o *opcode) accepted(c class) string {
	var names []string
	for _, name := range o.modifiers() {
		if modifiers[name].class&c != 0 {
			names = append(names, "."+name)
		}
	}
	if len(names) == 0 {
		return "no modifiers"
	}
	return strings.Join(names, " ")
}

// modifiers lists those that the opcode takes, sorted.
func (o *opcode) modifiers() []string {
	var names []string
	for name, m := range modifiers {
		if o.allows(name, m) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// allows reports whether the opcode takes the modifier.
func (o *opcode) allows(name string, m modifier) bool {
	if o.takes&m.class == 0 {
		return false
	}
	names, some := o.only[m.class]
	return !some || slices.Contains(names, name)
}

// dialect is the instruction set of the tests with one header.
type dialect struct {
	arch    string
	opcodes map[string]*opcode
	bare    bool // a location may stand for its address without brackets
}

// dialects are filled by init because the steps lead back to them.
var dialects = map[string]*dialect{}

func (d *dialect) opcodeNames() []string { return slices.Sorted(maps.Keys(d.opcodes)) }

// others names the dialects but d that have an opcode.
func (d *dialect) others(opcode string) string {
	for _, arch := range slices.Sorted(maps.Keys(dialects)) {
		if other := dialects[arch]; other != d && other.opcodes[opcode] != nil {
			return arch
		}
	}
	return ""
}

// Opcodes lists the instructions of all dialects, sorted.
func Opcodes() []string {
	var names []string
	for _, d := range dialects {
		names = append(names, d.opcodeNames()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

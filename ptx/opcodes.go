package ptx

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
)

// opcode is what the tables know about an instruction.
type opcode struct {
	code     isa.Code
	takes    class               // modifiers it may have
	needs    class               // modifiers it must have
	either   class               // modifiers of which it must have one
	only     map[class][]string  // of a class, the modifiers it may have, unless all
	own      map[string]modifier // modifiers that say something else to it than to others
	types    int                 // how many types it may have
	operands string              // one letter each, see operandRole; ? after an optional one
	order    event.Order         // unless the modifiers say otherwise
	scope    event.Scope         // likewise
	proxy    Proxy
	loose    bool           // of the tests of 2015: takes what the manual of today does not list
	compares isa.Comparison // of a branch that compares
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
	readOnlyMod
	saturateMod
	reluMod
	permuteMod
	amountMod
	combineMod
	carryMod
	ftzMod
)

// classNames says what a modifier of a class is.
var classNames = map[class]string{
	cacheMod: "cache operator", orderMod: "order", scopeMod: "scope", vectorMod: "vector",
	readOnlyMod: ".nc", mmioMod: ".mmio", volatileMod: ".volatile", spaceMod: "other state space",
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
	{readOnlyMod, orderMod},
	{readOnlyMod, scopeMod},
	{readOnlyMod, volatileMod},
	{readOnlyMod, mmioMod},
	{readOnlyMod, unsharedMod},
	{proxyMod, orderMod},
	{proxyMod, scopeMod},
}

// modifier is what a dot-suffix means.
type modifier struct {
	class class
	apply func(*Instr)
}

var modifiers = map[string]modifier{
	"global":          {spaceMod, func(in *Instr) { in.Mods.Space = Global }},
	"shared":          {spaceMod, func(in *Instr) { in.Mods.Space = Shared }},
	"shared::cluster": {spaceMod, func(in *Instr) { in.Mods.Space = Shared }},
	"shared::cta":     {spaceMod, func(in *Instr) { in.Mods.Space = Shared }},
	"const":           {unsharedMod, func(in *Instr) { in.Mods.Space = Constant }},
	"param::entry":    {unsharedMod, func(in *Instr) { in.Mods.Space = Param }},
	"param":           {unsharedMod, func(in *Instr) { in.Mods.Space = Param }},
	"local":           {unsharedMod, func(in *Instr) { in.Mods.Space = Local }},
	"volatile":        {volatileMod, func(in *Instr) { in.Mods.Volatile = true }},
	"mmio":            {mmioMod, func(in *Instr) { in.Mods.MMIO = true }},
	"uni":             {uniMod, func(*Instr) {}},
	"aligned":         {alignedMod, func(*Instr) {}},
	"lo":              {halfMod, func(in *Instr) { in.Op.Half = isa.Low }},
	"hi":              {halfMod, func(in *Instr) { in.Op.Half = isa.High }},
	"wide":            {halfMod, func(in *Instr) { in.Op.Half = isa.Wide }},
	"l":               {directionMod, func(in *Instr) { in.Op.Left = true }},
	"r":               {directionMod, func(*Instr) {}},
	"clamp":           {clampMod, func(in *Instr) { in.Op.Clamp = true }},
	"wrap":            {clampMod, func(*Instr) {}},
	"sat":             {saturateMod, func(in *Instr) { in.Op.Saturate = true }},
	"relu":            {reluMod, func(in *Instr) { in.Op.Relu = true }},
	"cc":              {carryMod, func(in *Instr) { in.Op.SetsCarry = true }},
	"shiftamt":        {amountMod, func(in *Instr) { in.Op.Amount = true }},
	"nc":              {readOnlyMod, func(in *Instr) { in.Mods.ReadOnly = true }},
	"to":              {toMod, func(*Instr) {}},
	"proxy":           {proxyMod, func(in *Instr) { in.Mods.ProxyFence = true }},
	"v2":              {vectorMod, func(in *Instr) { in.Mods.Vector = 2 }},
	"v4":              {vectorMod, func(in *Instr) { in.Mods.Vector = 4 }},
	"v8":              {vectorMod, func(in *Instr) { in.Mods.Vector = 8 }},
	"noftz":           {ftzMod, func(*Instr) {}},

	"ca": cacheModifier(CacheCA),
	"cg": cacheModifier(CacheCG),
	"cv": cacheModifier(CacheCV),
	"wb": cacheModifier(CacheWB),
	"wt": cacheModifier(CacheWT),
	"cs": cacheModifier(CacheNone),
	"lu": cacheModifier(CacheNone),

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
	"f16": typeModifier(Type{Bits: 16}), "bf16": typeModifier(Type{Bits: 16}), "f16x2": typeModifier(arith.U32), "bf16x2": typeModifier(arith.U32),

	"eq": cmpModifier(isa.Eq), "ne": cmpModifier(isa.Ne),
	"lt": cmpModifier(isa.Lt), "le": cmpModifier(isa.Le),
	"gt": cmpModifier(isa.Gt), "ge": cmpModifier(isa.Ge),

	"warp": {warpMod, func(in *Instr) { in.Op.Warp = true }},
}

// hints are modifiers that say how likely something is used again, and nothing of what it
// does (PTX ISA, "Cache Eviction Priority Hints", "ld").
var hints = []string{
	"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate",
	"L2::evict_normal", "L2::evict_first", "L2::evict_last", "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B",
	"L1", "L2",
}

// comparing are what setp has beside the comparisons that all have: those of unsigned numbers, lower and higher, and how the
// result is combined with a predicate (PTX ISA, "Integer Comparisons", "setp").
var comparing = map[string]modifier{
	"lo": cmpModifier(isa.Lt), "ls": cmpModifier(isa.Le), "hi": cmpModifier(isa.Gt), "hs": cmpModifier(isa.Ge),
	"and": combineModifier(isa.UpdateAnd), "or": combineModifier(isa.UpdateOr), "xor": combineModifier(isa.UpdateXor),
}

func init() {
	for _, mode := range strings.Fields("f4e b4e rc8 ecl ecr rc16") {
		modifiers[mode] = modifier{permuteMod, func(in *Instr) { in.Op.Mode = mode }}
	}
	for u := isa.UpdateCas; u <= isa.UpdatePopc; u++ {
		modifiers[u.String()] = updateModifier(u)
	}
	for m := isa.Sync; m <= isa.Wait; m++ {
		modifiers[m.String()] = barrierModifier(m)
	}
	for _, name := range hints {
		modifiers[name] = modifier{hintMod, func(in *Instr) { in.Mods.Policy = in.Mods.Policy || name == "L2::cache_hint" }}
	}
}

func cacheModifier(c CacheOp) modifier {
	return modifier{cacheMod, func(in *Instr) { in.Mods.Cache = c }}
}

func orderModifier(o event.Order) modifier {
	return modifier{orderMod, func(in *Instr) { in.Mods.Order = o }}
}

func scopeModifier(s event.Scope) modifier {
	return modifier{scopeMod, func(in *Instr) { in.Mods.Scope = s }}
}

func proxyModifier(p Proxy) modifier {
	return modifier{proxyKindMod, func(in *Instr) { in.Mods.Proxy = p }}
}

func typeModifier(t Type) modifier {
	return modifier{typeMod, func(in *Instr) { in.Mods.Types = append(in.Mods.Types, t) }}
}

func cmpModifier(c isa.Comparison) modifier {
	return modifier{cmpMod, func(in *Instr) { in.Op.Cmp = c }}
}

func combineModifier(u isa.Update) modifier {
	return modifier{combineMod, func(in *Instr) { in.Op.Combine = u }}
}

func updateModifier(u isa.Update) modifier {
	return modifier{atomMod, func(in *Instr) { in.Op.Update = u }}
}

func barrierModifier(m isa.Meeting) modifier {
	return modifier{barrierMod, func(in *Instr) { in.Op.Meeting = m }}
}

// accepted lists the modifiers of the given classes, as an error shows them.
func (o *opcode) accepted(c class) string {
	var names []string
	for _, name := range o.modifiers() {
		if m, _ := o.modifier(name); m.class&c != 0 {
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
	for name := range modifiers {
		if m, _ := o.modifier(name); o.allows(name, m) {
			names = append(names, name)
		}
	}
	for name := range o.own {
		if _, ok := modifiers[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// modifier is what a suffix says to the opcode.
func (o *opcode) modifier(name string) (m modifier, ok bool) {
	if m, ok = o.own[name]; !ok {
		m, ok = modifiers[name]
	}
	return m, ok
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
	forms   map[string]*form
	bare    bool // a location may stand for its address without brackets
}

// dialects are by their names. They are set by init because the steps lead back to them.
var dialects func() map[string]*dialect

func init() { dialects = sync.OnceValue(makeDialects) }

func (d *dialect) opcodeNames() []string { return slices.Sorted(maps.Keys(d.opcodes)) }

// others names the dialects but d that have an opcode.
func (d *dialect) others(opcode string) string {
	for _, arch := range slices.Sorted(maps.Keys(dialects())) {
		if other := dialects()[arch]; other != d && other.opcodes[opcode] != nil {
			return arch
		}
	}
	return ""
}

// Opcodes lists the instructions of all dialects, sorted.
func Opcodes() []string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.opcodeNames()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

package ptx

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
)

// opcode is what the tables know about an instruction.
type opcode struct {
	takes    class  // modifiers it may have
	needs    class  // modifiers it must have
	types    int    // how many types it may have
	operands string // one letter each: d register set, s source, a [address], l label; ? after an optional one
	caches   []event.CacheOp
	step     func(*walk, *Instr) error
}

// class is a set of kinds of modifiers.
type class uint8

const (
	spaceMod class = 1 << iota
	cacheMod
	volatileMod
	typeMod
	cmpMod
	atomMod
	scopeMod
	uniMod
)

// modifier is what a dot-suffix means.
type modifier struct {
	class class
	apply func(*Mods)
}

// opcodes are the instructions of GPU_PTX tests. It is filled by init because the
// steps lead back to it.
var opcodes = map[string]*opcode{}

func init() {
	alu := func(operands string) *opcode {
		return &opcode{takes: typeMod, types: 1, operands: operands, step: (*walk).alu}
	}
	maps.Copy(opcodes, map[string]*opcode{
		"ld": {
			takes: spaceMod | cacheMod | volatileMod | typeMod, types: 1, operands: "da",
			caches: []event.CacheOp{event.CacheCA, event.CacheCG, event.CacheCV}, step: (*walk).load,
		},
		"st": {
			takes: spaceMod | cacheMod | volatileMod | typeMod, types: 1, operands: "as",
			caches: []event.CacheOp{event.CacheWB, event.CacheCG, event.CacheWT}, step: (*walk).store,
		},
		"atom":   {takes: spaceMod | typeMod | atomMod, needs: atomMod, types: 1, operands: "das?s?", step: (*walk).atomic},
		"red":    {takes: spaceMod | typeMod | atomMod, needs: atomMod, types: 1, operands: "as?s?", step: (*walk).atomic},
		"membar": {takes: scopeMod, needs: scopeMod, step: (*walk).fence},
		"bra":    {takes: uniMod, operands: "l", step: (*walk).branch},
		"mov":    alu("ds"),
		"cvt":    {takes: typeMod, types: 2, operands: "ds", step: (*walk).convert},
		"setp":   {takes: cmpMod | typeMod, needs: cmpMod, types: 1, operands: "dss", step: (*walk).compare},
		"selp":   {takes: typeMod, types: 1, operands: "dsss", step: (*walk).selectValue},
		"add":    alu("dss"),
		"sub":    alu("dss"),
		"and":    alu("dss"),
		"or":     alu("dss"),
		"xor":    alu("dss"),
		"min":    alu("dss"),
		"max":    alu("dss"),
	})
}

var modifiers = map[string]modifier{
	"global":   {spaceMod, func(m *Mods) { m.Space = Global }},
	"shared":   {spaceMod, func(m *Mods) { m.Space = Shared }},
	"volatile": {volatileMod, func(m *Mods) { m.Volatile = true }},
	"uni":      {uniMod, func(*Mods) {}},

	"ca": cacheModifier(event.CacheCA),
	"cg": cacheModifier(event.CacheCG),
	"cv": cacheModifier(event.CacheCV),
	"wb": cacheModifier(event.CacheWB),
	"wt": cacheModifier(event.CacheWT),

	"cta": scopeModifier(event.ScopeCTA),
	"gl":  scopeModifier(event.ScopeGPU),
	"sys": scopeModifier(event.ScopeSys),

	"s32":  typeModifier(Type{true, 32}),
	"u32":  typeModifier(Type{false, 32}),
	"b32":  typeModifier(Type{false, 32}),
	"s64":  typeModifier(Type{true, 64}),
	"u64":  typeModifier(Type{false, 64}),
	"b64":  typeModifier(Type{false, 64}),
	"pred": typeModifier(Type{false, 1}),

	"eq": cmpModifier("eq"), "ne": cmpModifier("ne"),
	"lt": cmpModifier("lt"), "le": cmpModifier("le"),
	"gt": cmpModifier("gt"), "ge": cmpModifier("ge"),

	"cas": atomModifier("cas"), "exch": atomModifier("exch"), "add": atomModifier("add"),
	"inc": atomModifier("inc"), "dec": atomModifier("dec"), "and": atomModifier("and"),
	"or": atomModifier("or"), "xor": atomModifier("xor"), "min": atomModifier("min"),
	"max": atomModifier("max"),
}

func cacheModifier(c event.CacheOp) modifier {
	return modifier{cacheMod, func(m *Mods) { m.Cache = c }}
}

func scopeModifier(s event.Scope) modifier {
	return modifier{scopeMod, func(m *Mods) { m.Scope = s }}
}

func typeModifier(t Type) modifier {
	return modifier{typeMod, func(m *Mods) { m.Types = append(m.Types, t) }}
}

func cmpModifier(name string) modifier {
	return modifier{cmpMod, func(m *Mods) { m.Cmp = name }}
}

func atomModifier(name string) modifier {
	return modifier{atomMod, func(m *Mods) { m.Atom = name }}
}

// accepted lists the modifiers of the given classes, as an error shows them.
func (o *opcode) accepted(c class) string {
	var names []string
	for name, m := range modifiers {
		if m.class&c != 0 && o.allows(name, m) {
			names = append(names, "."+name)
		}
	}
	if len(names) == 0 {
		return "no modifiers"
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// allows reports whether the opcode takes the modifier.
func (o *opcode) allows(name string, m modifier) bool {
	if o.takes&m.class == 0 {
		return false
	}
	return m.class != cacheMod || slices.ContainsFunc(o.caches, func(c event.CacheOp) bool { return c.String() == name })
}

func opcodeNames() []string { return slices.Sorted(maps.Keys(opcodes)) }

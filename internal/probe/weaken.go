package probe

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/ptx"
)

// access says what else an instruction that accesses memory or orders accesses can be.
type access struct {
	kind             string // ld, st, atom or fence: whose orders it has
	store, load, red string // of an atomic, what does a part of its work, and what does it without a result
}

// accesses are the instructions that have weaker ones, of both dialects.
var accesses = map[string]access{
	"ld": {kind: "ld"}, "suld": {kind: "ld"}, "tld": {kind: "ld"}, "cold": {kind: "ld"},
	"st": {kind: "st"}, "sust": {kind: "st"},
	"atom":   {kind: "atom", store: "st", load: "ld", red: "red"},
	"suatom": {kind: "atom", store: "sust", load: "suld", red: "sured"},
	"red":    {kind: "atom", store: "st"},
	"sured":  {kind: "atom", store: "sust"},
	"fence":  {kind: "fence"}, "membar": {kind: "fence"},
}

// strongest is the order of volatile and memory-mapped accesses: relaxed.sys, and more.
const strongest = "volatile"

// weakerOrders are the orders weaker than another, by kind, the weakest first (PTX ISA,
// "Memory Consistency Model").
var weakerOrders = map[string]map[string][]string{
	"ld":    {strongest: {"weak", "relaxed"}, "acquire": {"weak", "relaxed"}, "relaxed": {"weak"}},
	"st":    {strongest: {"weak", "relaxed"}, "release": {"weak", "relaxed"}, "relaxed": {"weak"}},
	"atom":  {"acq_rel": {"relaxed", "acquire", "release"}, "acquire": {"relaxed"}, "release": {"relaxed"}},
	"fence": {"sc": {"acquire", "release", "acq_rel"}, "acq_rel": {"acquire", "release"}},
}

// partialOrders are what is left of the order of an atomic for a load or a store that does
// a part of its work.
var partialOrders = map[string]map[string]string{
	"ld": {"relaxed": "relaxed", "acquire": "acquire", "release": "relaxed", "acq_rel": "acquire"},
	"st": {"relaxed": "relaxed", "acquire": "relaxed", "release": "release", "acq_rel": "release"},
}

// weakerScopes are the scopes within another, the narrowest first. A word that the
// instruction does not know makes no step: only membar has gl.
var weakerScopes = map[string][]string{
	"sys": {"cta", "gl", "cluster", "gpu"}, "gpu": {"cta", "cluster"}, "cluster": {"cta"},
}

// plainWords are how a dialect writes an access without an order.
var plainWords = map[string]string{"GPU_PTX": "cg", "PTX": "weak"}

// stored says what a plain store writes in the place of an atomic, as the atomic does to
// memory that holds 0 or what it expects: one of its operands, or, for inc, one.
var stored = map[string]int{"exch": 0, "add": 0, "or": 0, "xor": 0, "max": 0, "cas": 1, "inc": one}

const one = -1

// weaken puts weaker instructions in the place of others.
func (c *code) weaken() (all []step) {
	for l := range c.program() {
		a, ok := accesses[l.in.Name]
		if !ok || l.in.Mods.ProxyFence {
			continue
		}
		if a.kind == "atom" {
			all = append(all, c.partsOfAtomic(l, a)...)
		}
		for _, opcode := range c.weakerOpcodes(l.in, a.kind) {
			all = append(all, c.weakenTo(l, l.splice(l.opcode(), opcode), opcode))
		}
	}
	return all
}

// weakenTo is the step that gives a line a weaker instruction; words say which.
func (c *code) weakenTo(l *line, text, words string) step {
	return c.rewrite(l, text, "weakened %s of %s to %s", l.instruction(), c.threadName(l), words)
}

// weakerOpcodes are the opcodes with a weaker order, then those with a narrower scope.
func (c *code) weakerOpcodes(in *ptx.Instr, kind string) (all []string) {
	order, scope := in.Mods.Order.String(), in.Mods.Scope.String()
	narrower := weakerScopes[scope]
	if in.Mods.Volatile || in.Mods.MMIO {
		order, narrower = strongest, nil
	}
	for _, o := range weakerOrders[kind][order] {
		name := in.Name
		if name == "membar" {
			name = "fence"
		}
		all = append(all, c.opcode(in, name, o, scope))
	}
	for _, s := range narrower {
		if in.Name == "membar" {
			all = append(all, "membar."+s)
		} else {
			all = append(all, c.opcode(in, in.Name, order, s))
		}
	}
	return slices.Compact(all) // a dialect may have one word for several orders
}

// partsOfAtomic are the steps that leave a store, a load, or an atomic without a result in
// the place of an atomic. Only a result that nobody looks at can go.
func (c *code) partsOfAtomic(l *line, a access) (all []step) {
	in, op := l.in, l.in.Mods.Atom
	order, scope := in.Mods.Order.String(), in.Mods.Scope.String()
	guard := l.before(in.At.Start)
	addr := l.addressText()
	needed := in.Dst != nil && c.lookedAt(name{l.thread, in.Dst.Text})
	comma := ","
	if strings.Contains(l.text, ", ") {
		comma = ", " // as the test writes it
	}
	leave := func(opcode string, operands ...string) {
		text := opcode + " " + strings.Join(operands, comma)
		all = append(all, c.weakenTo(l, guard+text, text))
	}
	if at, ok := stored[op]; ok && !needed {
		value := "1"
		if at != one {
			value = in.Srcs[at].At.Text()
		}
		leave(c.opcode(in, a.store, partialOrders["st"][order], scope), addr, value)
	}
	if in.Dst != nil {
		leave(c.opcode(in, a.load, partialOrders["ld"][order], scope), in.Dst.Text, addr)
	}
	if in.Dst != nil && !needed {
		leave(a.red+strings.TrimPrefix(in.Opcode, in.Name), l.from(in.Addr.At.Start))
	}
	return all
}

// addressText is the address of an access as the cell has it.
func (l *line) addressText() string {
	text := l.from(l.in.Addr.At.Start)
	if len(l.in.Srcs) > 0 {
		text = text[:l.in.Srcs[0].At.Start-l.in.Addr.At.Start]
	}
	return strings.TrimRight(text, ", \t")
}

// opcode is the opcode of in under a name, with an order and a scope in the place of its
// own. One that is no atomic has no operation.
func (c *code) opcode(in *ptx.Instr, name, order, scope string) string {
	words := []string{name}
	switch {
	case c.Arch == "GPU_PTX" || order == "weak":
		words = append(words, plainWords[c.Arch])
	default:
		words = append(words, order, scope)
	}
	atomic := accesses[name].kind == "atom"
	for _, word := range strings.Split(in.Opcode, ".")[1:] {
		if !modeWords[word] && (atomic || word != in.Mods.Atom) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ".")
}

// modeWords are the modifiers that say the order and the scope of an instruction.
var modeWords = map[string]bool{
	"weak": true, "relaxed": true, "acquire": true, "release": true, "acq_rel": true, "sc": true,
	"volatile": true, "mmio": true, "cta": true, "cluster": true, "gpu": true, "gl": true, "sys": true,
}

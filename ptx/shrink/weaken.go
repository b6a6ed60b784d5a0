package shrink

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// strongest is the order of volatile and memory-mapped accesses: relaxed.sys, and more.
const strongest = "volatile"

// weakerOrders are the orders weaker than another, the weakest first (PTX ISA,
// "Memory Consistency Model").
var weakerOrders = map[isa.Code]map[string][]string{
	isa.Ld:     {strongest: {"weak", "relaxed"}, "acquire": {"weak", "relaxed"}, "relaxed": {"weak"}},
	isa.St:     {strongest: {"weak", "relaxed"}, "release": {"weak", "relaxed"}, "relaxed": {"weak"}},
	isa.Atom:   atomicOrders,
	isa.Red:    atomicOrders,
	isa.Fence:  fenceOrders,
	isa.Membar: fenceOrders,
}

var (
	atomicOrders = map[string][]string{
		"acq_rel": {"relaxed", "acquire", "release"}, "acquire": {"relaxed"}, "release": {"relaxed"},
	}
	fenceOrders = map[string][]string{"sc": {"acquire", "release", "acq_rel"}, "acq_rel": {"acquire", "release"}}
)

// partialOrders are the orders of a load or a store that does a part of the work of an atomic, by
// the order of the atomic.
var partialOrders = map[isa.Code]map[string]string{
	isa.Ld: {"relaxed": "relaxed", "acquire": "acquire", "release": "relaxed", "acq_rel": "acquire"},
	isa.St: {"relaxed": "relaxed", "acquire": "relaxed", "release": "release", "acq_rel": "release"},
}

// weakerScopes are the scopes within another, the narrowest first. A word that the
// instruction does not know makes no step: only membar has gl.
var weakerScopes = map[string][]string{
	"sys": {"cta", "gl", "cluster", "gpu"}, "gpu": {"cta", "cluster"}, "cluster": {"cta"},
}

// plainWords are how a dialect writes an access without an order.
var plainWords = map[string]string{"GPU_PTX": "cg", "PTX": "weak"}

// stored is the value that a plain store writes in place of an atomic, as the atomic would to
// memory that holds 0 or its expected value. It is the index of an operand, or a constant for inc.
var stored = map[isa.Update]int{
	isa.UpdateExch: 0, isa.UpdateAdd: 0, isa.UpdateOr: 0, isa.UpdateXor: 0, isa.UpdateMax: 0, isa.UpdateCas: 1, isa.UpdateInc: one,
}

const one = -1

// weaken puts weaker instructions in the place of others.
func (c *code) weaken() (all []step) {
	for l := range c.program() {
		if weakerOrders[l.in.Op.Code] == nil || l.in.Op.ProxyFence {
			continue
		}
		if l.in.Op.Class() == isa.ClassAtomic {
			all = append(all, c.partsOfAtomic(l)...)
		}
		for _, opcode := range c.weakerOpcodes(l.in) {
			all = append(all, c.weakenTo(l, l.splice(l.opcode(), opcode), opcode))
		}
	}
	return all
}

// weakenTo returns the step that gives a line a weaker instruction; words say which.
func (c *code) weakenTo(l *line, text, words string) step {
	return c.rewrite(l, text, "weakened %s of %s to %s", l.instruction(), c.threadName(l), words)
}

// weakerOpcodes returns the opcodes with a weaker order, then those with a narrower scope.
func (c *code) weakerOpcodes(in *ptx.Instr) (all []string) {
	order, scope := in.Order().String(), in.Scope().String()
	narrower := weakerScopes[scope]
	if in.Op.Volatile || in.Op.MMIO {
		order, narrower = strongest, nil
	}
	for _, o := range weakerOrders[in.Op.Code][order] {
		code := in.Op.Code
		if code == isa.Membar {
			code = isa.Fence
		}
		all = append(all, c.opcode(in, code, o, scope))
	}
	for _, s := range narrower {
		if in.Op.Code == isa.Membar {
			all = append(all, "membar."+s)
		} else {
			all = append(all, c.opcode(in, in.Op.Code, order, s))
		}
	}
	return slices.Compact(all) // a dialect may have one word for several orders
}

// partsOfAtomic returns the steps that replace an atomic by a store, by a load, or by an atomic
// without a result. The result can go only if no instruction uses it.
func (c *code) partsOfAtomic(l *line) (all []step) {
	in, op := l.in, l.in.Op.Update
	order, scope := in.Order().String(), in.Scope().String()
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
		leave(c.opcode(in, isa.St, partialOrders[isa.St][order], scope), addr, value)
	}
	if in.Dst != nil {
		leave(c.opcode(in, isa.Ld, partialOrders[isa.Ld][order], scope), in.Dst.Text, addr)
	}
	if in.Dst != nil && !needed {
		leave(in.Sibling(isa.Red)+strings.TrimPrefix(in.Opcode, in.Sibling(isa.Atom)), l.from(in.Addr.At.Start))
	}
	return all
}

// addressText returns the address of an access as the cell has it.
func (l *line) addressText() string {
	text := l.from(l.in.Addr.At.Start)
	if len(l.in.Srcs) > 0 {
		text = text[:l.in.Srcs[0].At.Start-l.in.Addr.At.Start]
	}
	return strings.TrimRight(text, ", \t")
}

// opcode returns the opcode of in with another code, and with an order and a scope in the place of
// its own. One that is no atomic has no operation.
func (c *code) opcode(in *ptx.Instr, code isa.Code, order, scope string) string {
	words := []string{in.Sibling(code)}
	switch {
	case c.Arch == "GPU_PTX" || order == "weak":
		words = append(words, plainWords[c.Arch])
	default:
		words = append(words, order, scope)
	}
	atomic := code.Class() == isa.ClassAtomic
	for _, word := range strings.Split(in.Opcode, ".")[1:] {
		if !modeWords[word] && (atomic || word != in.Op.Update.String()) {
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

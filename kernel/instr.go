package kernel

import (
	"strings"

	"github.com/muster-gpu/muster/src"
)

// instruction reads an instruction to its semicolon.
func (b *body) instruction() {
	in := &Instr{Place: b.place}
	if b.accept("@") {
		in.Unless = b.accept("!")
		t := b.word("a predicate")
		if in.Guard = b.register(b.textOf(t)); in.Guard == nil {
			b.undeclared(t)
		}
	}
	t := b.word("an opcode")
	in.At, in.Opcode = b.span(b.file, t), b.textOf(t)
	for !b.accept(";") {
		if b.labelWithin() {
			continue
		}
		if len(in.Ops) > 0 && !b.accept(",") {
			b.failHint(b.tok, "operands are separated by commas, instructions end with a semicolon",
				"expected , or ; after an operand of %s, found %s", in.Opcode, b.describe(b.tok))
		}
		for b.labelWithin() {
		}
		in.Ops = append(in.Ops, b.operand())
	}
	if len(b.f.Instrs) == maxInstructions {
		b.diags.Errorf(b.f.At, "%s has more than %d instructions", b.f.Name, maxInstructions).WithHint("a module with smaller functions")
		b.pos = len(b.text)
		b.advance()
		return
	}
	in.Labels, b.pending = b.pending, nil
	b.f.Instrs = append(b.f.Instrs, in)
	b.mentions(in)
}

// labelWithin passes a label in the middle of an instruction, as LLVM writes the labels of debug
// information between the parts of a call. It is a label of the instruction.
func (b *body) labelWithin() bool {
	t := b.tok
	if t.kind != word {
		return false
	}
	b.advance()
	if b.accept(":") {
		b.label(t)
		return true
	}
	b.pos, b.tok = t.end, t
	return false
}

func (b *body) undeclared(t token) {
	var names []string
	for s := b.scope; s != nil; s = s.outer {
		for name := range s.registers {
			names = append(names, name)
		}
	}
	b.failHint(t, src.DidYouMean(b.textOf(t), names), "register %s is not declared", b.textOf(t))
}

// operand reads an operand.
func (b *body) operand() Operand {
	t := b.tok
	o := Operand{At: b.span(b.file, t)}
	switch {
	case b.accept("["):
		o.Kind = Address
		b.nested(func() { b.address(&o) })
	case b.accept("{"):
		o.Kind = Vector
		b.nested(func() { o.List = b.list("}") })
	case b.accept("("):
		o.Kind = Tuple
		b.nested(func() { o.List = b.list(")") })
	case b.accept("!"):
		o = b.named(b.word("a predicate"))
		o.Negated = true
	case b.accept("-"):
		o = b.named(b.word("a number"))
		if o.Kind == Integer {
			o.Bits = -o.Bits
		} else {
			o.Negated = true
		}
	case t.kind == word:
		b.advance()
		o = b.named(t)
	default:
		b.fail(t, "expected an operand, found %s", b.describe(t))
	}
	o.At = o.At.To(b.file.Span(t.start, b.last(t)))
	return o
}

// last is where the operand that begins at t ends: before the blanks that precede the next token.
func (b *body) last(t token) int {
	return max(t.end, len(strings.TrimRight(b.text[:b.tok.start], " \t\r\n")))
}

func (b *body) list(end string) []Operand {
	var all []Operand
	for !b.accept(end) {
		if b.labelWithin() {
			continue
		}
		all = append(all, b.operand())
		if !b.at(end) {
			b.expect(",", "an operand")
		}
	}
	return all
}

// address reads what stands in brackets: a base with an offset, a number, or parts separated by
// commas (of tensors and textures).
func (b *body) address(o *Operand) {
	o.List = append(o.List, b.operand())
	for !b.accept("]") {
		switch {
		case b.accept("+"):
			negative := b.accept("-")
			o.Offset += b.offset(negative)
		case b.accept("-"):
			o.Offset += b.offset(true)
		case b.accept(","):
			o.List = append(o.List, b.operand())
		default:
			b.fail(b.tok, "expected ] after an address, found %s", b.describe(b.tok))
		}
	}
}

func (b *body) offset(negative bool) int64 {
	t := b.word("an offset")
	n := int64(b.constant(t).Bits)
	if negative {
		return -n
	}
	return n
}

// named is an operand that is a word: a number, a register, a special register, a variable, a function
// or a label.
func (b *body) named(t token) Operand {
	name := b.textOf(t)
	o := Operand{At: b.span(b.file, t), Name: name}
	if name[0] >= '0' && name[0] <= '9' {
		return b.constant(t)
	}
	if name == "_" {
		o.Kind = Sink
		if b.accept("|") {
			b.second(&o)
		}
		return o
	}
	whole, part, _ := strings.Cut(name, ".")
	if r := b.register(whole); r != nil {
		o.Kind, o.Register, o.Part, o.Name = Reg, r, part, whole
		if b.accept("|") {
			b.second(&o)
		}
		return o
	}
	v, labels := b.scope.variable(name), b.scope.table(name)
	switch {
	case labels != nil:
		o.Kind = Table
		for _, l := range labels {
			to := Operand{At: b.span(b.file, l), Name: b.textOf(l)}
			b.forward(&to)
			o.List = append(o.List, to)
		}
	case v != nil:
		o.Kind, o.Variable = Var, v
		if b.at("+") {
			b.advance()
			o.Offset = b.offset(false)
		}
	case name[0] == '%':
		if !specials[whole] && !strings.HasPrefix(name, "%pm") && !strings.HasPrefix(name, "%envreg") {
			b.undeclared(t)
		}
		o.Kind = Special
	case b.funcs[name] != nil:
		o.Kind = Func
	default:
		b.forward(&o)
	}
	return o
}

// second reads the second destination of a pair p|q.
func (b *body) second(o *Operand) {
	t := b.word("a second destination")
	if b.textOf(t) == "_" {
		return
	}
	if o.Second = b.register(b.textOf(t)); o.Second == nil {
		b.undeclared(t)
	}
}

// forward is an operand that is a label, which may stand further on. Operands are copied while an
// instruction is read, so its target is set through the list that holds it in the end.
func (b *body) forward(o *Operand) {
	o.Kind = Label
	at := len(b.f.Instrs)
	name := o.Name
	b.jumps = append(b.jumps, jump{o.At, name, func(target int) {
		if at < len(b.f.Instrs) { // unless it could not be read to its end
			setTarget(b.f.Instrs[at].Ops, name, target)
		}
	}})
}

func setTarget(ops []Operand, name string, target int) {
	for i := range ops {
		if ops[i].Kind == Label && ops[i].Name == name {
			ops[i].Target = target
		}
		setTarget(ops[i].List, name, target)
	}
}

// specials are the special registers (PTX ISA, "Special Registers").
var specials = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`tid ntid laneid warpid nwarpid ctaid nctaid smid nsmid gridid is_explicit_cluster
		clusterid nclusterid cluster_ctaid cluster_nctaid cluster_ctarank cluster_nctarank lanemask_eq lanemask_le lanemask_lt
		lanemask_ge lanemask_gt clock clock_hi clock64 globaltimer globaltimer_lo globaltimer_hi dynamic_smem_size
		total_smem_size aggr_smem_size reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap
		current_graph_exec`) {
		all["%"+name] = true
	}
	return all
}()

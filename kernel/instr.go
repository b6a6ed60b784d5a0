package kernel

import (
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// instruction reads an instruction to its semicolon.
func (b *body) instruction() {
	in := &Instr{Place: b.place}
	if b.accept("@") {
		in.Unless = b.accept("!")
		t := b.word("a predicate")
		switch in.Guard = b.register(b.textOf(t)); {
		case in.Guard == nil:
			b.undeclared(t)
		case in.Guard.Type != "pred":
			b.fail(t, "a guard is a predicate, and %s is a register of .%s", b.textOf(t), in.Guard.Type)
		}
	}
	t := b.word("an opcode")
	in.At, in.Opcode = b.span(b.file, t), b.textOf(t)
	b.calling = in.Name() == "call"
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
		b.diags.Errorf(b.f.At, "%s has more than %d instructions", b.f.Name,
			maxInstructions).WithHint("a module with smaller functions")
		b.pos = len(b.text)
		b.advance()
		return
	}
	b.checkNumbers(in)
	in.Labels, b.pending = b.pending, nil
	b.f.Instrs = append(b.f.Instrs, in)
	b.functions(in)
	b.mention(in.Ops, b.scope)
}

// labelWithin reads a label in the middle of an instruction, which LLVM writes for debug
// information between the parts of a call. It labels the instruction.
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
		for name, what := range s.names {
			if _, ok := what.(*Register); ok {
				names = append(names, name)
			}
		}
	}
	names = append(names, isa.Specials()...)
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
	case b.calling && b.accept("("):
		o.Kind = Tuple
		b.nested(func() { o.List = b.list(")") })
	case b.negatesName():
		o = b.named(b.word("a name"))
		o.Negated = true
	case t.kind == word && !b.isNumber(t):
		b.advance()
		o = b.named(t)
	default:
		o = b.constant()
	}
	o.At = o.At.To(b.file.Span(t.start, b.last(t)))
	return o
}

// negatesName reads the sign before a name: !p, or -x. It reports whether there is one.
func (b *body) negatesName() bool {
	t := b.tok
	if (b.accept("!") || b.accept("-")) && b.tok.kind == word && !b.isNumber(b.tok) {
		return true
	}
	b.pos, b.tok = t.end, t
	return false
}

// last returns the offset of the end of the operand that begins at t: before the blanks that
// precede the next token.
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

// address reads the contents of brackets: a base and an offset, a number, or parts separated by
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
	t := b.tok
	x := b.expression(offsets)
	n := int64(x.bits)
	if n < -maxOffset || n > maxOffset || x.unsigned && n < 0 {
		b.fail(t, "expected an offset of at most %d bytes, found %s", maxOffset, b.describe(t))
	}
	if negative {
		return -n
	}
	return n
}

// named returns an operand that is a name: of a register, special register, variable, function or
// label.
func (b *body) named(t token) Operand {
	name := b.textOf(t)
	o := Operand{At: b.span(b.file, t), Name: name}
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
	what, _ := b.scope.find(name)
	switch what := what.(type) {
	case *Variable:
		o.Kind, o.Variable = Var, what
		if b.accept("+") {
			o.Offset = b.offset(false)
		}
		return o
	case table:
		o.Kind = Table
		if b.targeted += len(what); b.targeted > maxTargets {
			b.fail(t, "the tables of %s have more than %d labels, as often as instructions name them", b.f.Name,
				maxTargets)
		}
		for _, l := range what {
			o.List = append(o.List, Operand{At: b.span(b.file, l), Kind: Label, Name: b.textOf(l)})
		}
		return o
	case label:
		o.Kind = Label
		return o
	}
	return b.undefined(t, o)
}

// undefined returns the operand for a name that no enclosing block has declared so far: a special
// register, a function, or a label further on.
func (b *body) undefined(t token, o Operand) Operand {
	_, special := isa.FindSpecial(o.Name)
	switch {
	case special:
		o.Kind = Special
	case o.Name[0] == '%':
		b.undeclared(t)
	case b.funcs[o.Name] != nil:
		o.Kind = Func
	default:
		o.Kind = Label
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

package isa

import "github.com/muster-gpu/muster/arith"

// This file has the formulas of comparison, selection, conversion and movement (PTX ISA,
// "Comparison and Selection Instructions", "Data Movement and Conversion Instructions"), and of
// atomics.

// compared returns a comparison of two values of a type, and the predicate that it is combined
// with, if there is one.
func (b *builder) compared(t Type) (holds, with Value) {
	x, y := b.source(t.Int()), b.source(t.Int())
	if b.Opcode.Combine != NoUpdate {
		with = b.source(arith.Bool)
	}
	switch cmp := b.Opcode.Cmp; {
	case t.Kind == Floating:
		return b.opaque(arith.Bool, x, y), with
	case cmp >= Equ:
		b.why = "integers are numbers"
		return x.as(arith.Bool), with
	default:
		return b.do(cmp.Op(), t.Int(), x, y), with
	}
}

func (b *builder) combined(holds, with Value) Value {
	if op, ok := b.Opcode.Combine.Op(); ok {
		return b.do(op, arith.Bool, holds, with)
	}
	return holds
}

// setp has two results if it has two destinations: of the comparison, and of its opposite.
func setp(b *builder) {
	holds, with := b.compared(b.Opcode.Type(0))
	b.result(b.combined(holds, with))
	if b.Opcode.Pair {
		b.result(b.combined(b.not(holds), with))
	}
}

// set computes all ones where the comparison holds; as a floating-point number, 1.
func set(b *builder) {
	t, yes := b.t(), int64(-1)
	if b.Opcode.Type(0).Kind == Floating {
		yes = 0x3f800000
		if t.Bits != 32 {
			b.why = "set gives .u32, .s32 or .f32"
		}
	}
	holds := b.combined(b.compared(b.Opcode.Type(1)))
	b.result(b.do(arith.Select, t, b.constant(yes, t), b.constant(0, t), holds))
}

func selp(b *builder) {
	x, y := b.two()
	p := b.source(arith.Bool)
	b.result(b.do(arith.Select, b.t(), x, y, p))
}

// slct selects by a sign.
func slct(b *builder) {
	x, y := b.two()
	by := b.Opcode.Type(1)
	z := b.source(by.Int())
	var positive Value
	if by.Kind == Floating {
		positive = b.opaque(arith.Bool, z)
	} else {
		positive = b.do(arith.Ge, by.Int(), z, b.constant(0, by.Int()))
	}
	b.result(b.do(arith.Select, b.t(), x, y, positive))
}

// testp is a property of a floating-point number.
func testp(b *builder) { b.result(b.opaque(arith.Bool, b.source(b.t()))) }

// move computes mov and cvta: the address that cvta makes is the same in each window.
func move(b *builder) { b.result(b.do(arith.Wrap, b.t(), b.source(b.t()))) }

// Join returns the formula of a mov that packs several narrower values into one of the type, the
// lowest first: mov.b64 d, {a, b}.
func (o *Opcode) Join(parts int) *Formula {
	b := &builder{Formula: &Formula{Opcode: o}}
	t := unsigned(b.t())
	part := arith.Type{Bits: t.Bits / parts}
	sources := make([]Value, parts)
	for i := range sources {
		sources[i] = b.source(part)
	}
	all := b.resize(sources[0], t)
	for i, v := range sources[1:] {
		all = b.do(arith.Or, t, all, b.do(arith.Shl, t, b.resize(v, t), b.constant(int64((i+1)*part.Bits), t)))
	}
	b.result(all)
	return b.Formula
}

// Part returns the formula of the i-th destination of a mov that unpacks a value of the type:
// mov.b64 {a, b}, d.
func (o *Opcode) Part(i, parts int) *Formula {
	b := &builder{Formula: &Formula{Opcode: o}}
	t := unsigned(b.t())
	part := arith.Type{Bits: t.Bits / parts}
	b.result(b.resize(b.do(arith.Shr, t, b.source(t), b.constant(int64(i*part.Bits), t)), part))
	return b.Formula
}

// convert computes cvt.to.from; two numbers are packed into one of .f16x2 or .bf16x2.
func convert(b *builder) {
	to, from := b.t(), b.Opcode.Type(1).Int()
	x := b.source(from)
	switch packed := b.Opcode.Type(0).String(); {
	case (packed == "f16x2" || packed == "bf16x2") && b.Opcode.Type(1).String() == "f32":
		b.result(b.opaque(to, x, b.source(from)))
	case b.Opcode.floating():
		b.result(b.opaque(to, x))
	case b.Opcode.Saturate:
		b.result(b.saturated(b.do(arith.Extend, from, x).as(arith.Type{Signed: from.Signed, Bits: 64}), to))
	default:
		b.result(b.resize(x, to))
	}
}

// update returns the value that an atomic writes, from the value that it has read and its operands.
func update(b *builder) {
	t := b.t()
	old, x := b.two()
	op, simple := b.Opcode.Update.Op()
	switch {
	case b.Opcode.Update == UpdateExch:
		b.result(b.do(arith.Wrap, t, x))
	case b.Opcode.Update == UpdateCas:
		next := b.source(t)
		b.result(b.do(arith.Select, t, next, old, b.do(arith.Eq, t, old, x)))
	case b.Opcode.floating():
		b.result(b.opaque(t, old, x))
	case simple:
		b.result(b.do(op, t, old, x))
	default:
		b.why = "no atomic has this operation"
	}
}

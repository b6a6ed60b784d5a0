package isa

import "github.com/muster-gpu/muster/arith"

// The formulas of instructions, in the order of the manual (PTX ISA, "Integer Arithmetic
// Instructions" and the chapters after it).

// floats returns the result of a floating-point instruction with n operands.
func (b *builder) floats(n int) {
	var args []Value
	for range n {
		args = append(args, b.source(b.t()))
	}
	b.result(b.opaque(b.t(), args...))
}

func opaque(n int) func(*builder) { return func(b *builder) { b.floats(n) } }

// either applies f, or an opaque function of n operands if they are floating-point numbers.
func (b *builder) either(operands int, f func()) {
	if b.Opcode.floating() {
		b.floats(operands)
	} else {
		f()
	}
}

// binary computes one operation on two sources.
func (b *builder) binary(op arith.Op) {
	b.either(2, func() {
		x, y := b.two()
		v := b.do(op, b.t(), x, y)
		if b.Opcode.Relu {
			v = b.do(arith.Max, b.t(), v, b.constant(0, b.t()))
		}
		b.result(v)
	})
}

func quotient(b *builder)  { b.binary(arith.Div) }
func remainder(b *builder) { b.binary(arith.Rem) }
func least(b *builder)     { b.binary(arith.Min) }
func greatest(b *builder)  { b.binary(arith.Max) }
func and(b *builder)       { b.binary(arith.And) }
func or(b *builder)        { b.binary(arith.Or) }
func xor(b *builder)       { b.binary(arith.Xor) }

// sum computes add and addc.
func sum(b *builder) {
	b.either(2, func() {
		x, y := b.two()
		b.added(arith.Add, x, y, b.carry())
	})
}

// difference computes sub and subc.
func difference(b *builder) {
	b.either(2, func() {
		x, y := b.two()
		b.added(arith.Sub, x, y, b.carry())
	})
}

// carry returns the carry that an instruction takes, or nil if it takes none.
func (b *builder) carry() *Value {
	if !b.Opcode.TakesCarry() {
		return nil
	}
	c := b.source(arith.Bool)
	return &c
}

// added ends a formula with a sum or a difference, with the carry or the borrow that comes in and
// goes out (PTX ISA, "Extended-Precision Integer Arithmetic Instructions").
func (b *builder) added(op arith.Op, x, y Value, carry *Value) {
	t := x.Type
	if b.Opcode.Saturate {
		b.result(b.saturated(b.do(op, arith.S64, b.resize(x, arith.S64), b.resize(y, arith.S64)), t))
		return
	}
	sum := b.do(op, t, x, y)
	out := func(from, sum Value) Value { // a sum that is less than an operand, a difference that is more
		if op == arith.Sub {
			from, sum = sum, from
		}
		return b.do(arith.Lt, unsigned(t), sum, from)
	}
	var over Value
	if b.Opcode.SetsCarry {
		over = out(x, sum)
	}
	if carry != nil {
		before := sum
		sum = b.do(op, t, before, b.resize(*carry, t))
		if b.Opcode.SetsCarry {
			over = b.do(arith.Or, arith.Bool, over, out(before, sum))
		}
	}
	b.result(sum)
	if b.Opcode.SetsCarry {
		b.result(over)
	}
}

// saturated clamps a 64-bit integer to the range of a narrower type.
func (b *builder) saturated(v Value, t arith.Type) Value {
	low, high := int64(0), int64(1)<<t.Bits-1
	if t.Signed {
		low, high = -1<<(t.Bits-1), 1<<(t.Bits-1)-1
	}
	switch {
	case t.Bits == 64 && v.Type.Signed == t.Signed:
		return v
	case t.Bits == 64 && t.Signed:
		high = 1<<63 - 1
	}
	if v.Type.Signed {
		v = b.do(arith.Max, v.Type, v, b.constant(low, v.Type))
	}
	if t.Bits < 64 || t.Signed {
		v = b.do(arith.Min, v.Type, v, b.constant(high, v.Type))
	}
	return b.resize(v, t)
}

// unsigned returns a type whose bits are read without a sign.
func unsigned(t arith.Type) arith.Type { return arith.Type{Bits: t.Bits} }

// product returns the low or the high half of a product, or all of it (PTX ISA, "mul").
func (b *builder) product(x, y Value) Value {
	t := x.Type
	switch half := b.Opcode.Half; {
	case half == NoHalf || half == Low:
		return b.do(arith.Mul, t, x, y)
	case t.Bits == 64 && half == Wide:
		b.why = "a wide product has at most 64 bits"
		return x
	case t.Bits == 64:
		return b.highProduct(x, y)
	}
	all := b.do(arith.Mul, arith.S64, b.resize(x, arith.S64), b.resize(y, arith.S64))
	if b.Opcode.Half == Wide {
		return b.resize(all, arith.Type{Signed: t.Signed, Bits: 2 * t.Bits})
	}
	return b.resize(b.do(arith.Shr, arith.S64, all, b.constant(int64(t.Bits), arith.S64)), t)
}

// highProduct returns the high half of a product of 64 bits, from those of its halves (Warren,
// "Hacker's Delight", Sec. 8-2 and 8-3).
func (b *builder) highProduct(x, y Value) Value {
	op := func(op arith.Op, x, y Value) Value { return b.do(op, arith.U64, x, y) }
	number := func(i int64) Value { return b.constant(i, arith.U64) }
	low := func(v Value) Value { return op(arith.And, v, number(1<<32-1)) }
	high := func(v Value) Value { return op(arith.Shr, v, number(32)) }
	carried := op(arith.Add, op(arith.Mul, high(x), low(y)), high(op(arith.Mul, low(x), low(y))))
	middle := op(arith.Add, op(arith.Mul, low(x), high(y)), low(carried))
	h := op(arith.Add, op(arith.Mul, high(x), high(y)), op(arith.Add, high(carried), high(middle)))
	if !x.Type.Signed {
		return h
	}
	ifNegative := func(v, w Value) Value {
		return op(arith.And, b.do(arith.Shr, arith.S64, v, b.constant(63, arith.S64)), w)
	}
	return op(arith.Sub, op(arith.Sub, h, ifNegative(x, y)), ifNegative(y, x)).as(x.Type)
}

func mul(b *builder) {
	b.either(2, func() {
		x, y := b.two()
		b.result(b.product(x, y))
	})
}

// wide returns the type of what is added to a product.
func (b *builder) wide() arith.Type {
	t := b.t()
	if b.Opcode.Half == Wide {
		t.Bits *= 2
	}
	return t
}

// mad computes mad and madc.
func mad(b *builder) {
	b.either(3, func() {
		x, y := b.two()
		if x.Type.Bits == 64 && b.Opcode.Half == Wide {
			b.why = "a wide product has at most 64 bits"
			return
		}
		z, carry := b.source(b.wide()), b.carry()
		b.added(arith.Add, b.product(x, y).as(z.Type), z, carry)
	})
}

// product24 is 32 bits of the product of the low 24 bits of two numbers (PTX ISA, "mul24").
func (b *builder) product24(x, y Value) Value {
	if b.Opcode.Half == Wide {
		b.why = "a product of 24 bits has a low and a high part"
	}
	low24 := func(v Value) Value {
		v = b.do(arith.Shr, x.Type, b.do(arith.Shl, x.Type, v, b.constant(8, x.Type)), b.constant(8, x.Type))
		return b.resize(v.as(x.Type), arith.S64)
	}
	all := b.do(arith.Mul, arith.S64, low24(x), low24(y))
	if b.Opcode.Half == High {
		all = b.do(arith.Shr, arith.S64, all, b.constant(16, arith.S64))
	}
	return b.resize(all, x.Type)
}

func mul24(b *builder) {
	x, y := b.two()
	b.result(b.product24(x, y))
}

func mad24(b *builder) {
	x, y := b.two()
	z := b.source(b.t())
	b.added(arith.Add, b.product24(x, y), z, nil)
}

func abs(b *builder) {
	b.either(1, func() {
		x := b.source(b.t())
		b.result(b.do(arith.Max, b.t(), x, b.do(arith.Sub, b.t(), b.constant(0, b.t()), x)))
	})
}

func neg(b *builder) {
	b.either(1, func() {
		x := b.source(b.t())
		b.result(b.do(arith.Sub, b.t(), b.constant(0, b.t()), x))
	})
}

// sad is the sum of a number and the difference of two, without its sign.
func sad(b *builder) {
	t := b.t()
	x, y := b.two()
	z := b.source(t)
	b.result(b.do(arith.Add, t, z, b.do(arith.Sub, t, b.do(arith.Max, t, x, y), b.do(arith.Min, t, x, y))))
}

// dot adds products to the last source: each part of x, of the given number of bits, times a byte
// of y. It takes all four bytes, or the half that the modifier names. Each type says how the parts
// of its operand are extended.
func dot(bits int) func(*builder) {
	return func(b *builder) {
		tx, ty, sum := b.Opcode.Type(0).Int(), b.Opcode.Type(1).Int(), arith.U32
		if tx.Signed || ty.Signed {
			sum = arith.S32
		}
		x, y, result := b.source(tx), b.source(ty), b.source(sum)
		at := 0
		if b.Opcode.Half == High {
			at = 16
		}
		for i := 0; i < 32; i += bits {
			product := b.do(arith.Mul, sum, b.part(x, i, bits), b.part(y, at, 8))
			result, at = b.do(arith.Add, sum, result, product), at+8
		}
		b.result(result)
	}
}

// part is some bits of a value from a position on, as a number.
func (b *builder) part(v Value, at, bits int) Value {
	t := v.Type
	high := b.do(arith.Shl, t, v, b.constant(int64(t.Bits-bits-at), t))
	return b.do(arith.Shr, t, high, b.constant(int64(t.Bits-bits), t))
}

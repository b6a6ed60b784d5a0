package isa

import "github.com/muster-gpu/muster/arith"

// This file has the formulas of operations on bits (PTX ISA, "Logic and Shift Instructions", and
// the bit fields among the integer arithmetic).

// not returns the complement; of a predicate, its negation.
func (b *builder) not(v Value) Value {
	return b.do(arith.Xor, v.Type, v, b.constant(-1, v.Type))
}

func not(b *builder) { b.result(b.not(b.source(b.t()))) }

func cnot(b *builder) {
	x := b.source(b.t())
	b.result(b.resize(b.do(arith.Eq, b.t(), x, b.constant(0, b.t())), b.t()))
}

// lop3 applies the function of three bits that Table tabulates: bit 4a+2b+c of Table is its value
// for bits a, b and c.
func lop3(b *builder) {
	t := b.t()
	x := []Value{b.source(t), b.source(t), b.source(t)}
	result := b.constant(0, t)
	for row := range 8 {
		if b.Opcode.Table>>row&1 == 0 {
			continue
		}
		all := b.constant(-1, t)
		for i := range x {
			bit := x[i]
			if row>>(2-i)&1 == 0 {
				bit = b.not(bit)
			}
			all = b.do(arith.And, t, all, bit)
		}
		result = b.do(arith.Or, t, result, all)
	}
	b.result(result)
}

// count returns a shift count of 32 bits as one of a type: larger ones than the width are the
// width.
func (b *builder) count(n Value, t arith.Type) Value {
	if t.Bits < 32 {
		n = b.do(arith.Min, arith.U32, n, b.constant(int64(t.Bits), arith.U32)).as(arith.U32)
	}
	return b.resize(n, t)
}

func (b *builder) shift(op arith.Op) {
	x, n := b.source(b.t()), b.source(arith.U32)
	b.result(b.do(op, b.t(), x, b.count(n, b.t())))
}

func shl(b *builder) { b.shift(arith.Shl) }
func shr(b *builder) { b.shift(arith.Shr) }

// shf shifts the 64 bits of y and x, and keeps the high half of a shift to the left, the low one of
// a shift to the right.
func shf(b *builder) {
	x, y, n := b.source(arith.U32), b.source(arith.U32), b.source(arith.U32)
	both := b.do(arith.Or, arith.U64,
		b.do(arith.Shl, arith.U64, b.resize(y, arith.U64), b.constant(32, arith.U64)), b.resize(x, arith.U64))
	if b.Opcode.Clamp {
		n = b.do(arith.Min, arith.U32, n, b.constant(32, arith.U32))
	} else {
		n = b.do(arith.And, arith.U32, n, b.constant(31, arith.U32))
	}
	n = b.resize(n, arith.U64)
	if b.Opcode.Left {
		both = b.do(arith.Shr, arith.U64, b.do(arith.Shl, arith.U64, both, n), b.constant(32, arith.U64))
	} else {
		both = b.do(arith.Shr, arith.U64, both, n)
	}
	b.result(b.resize(both, b.t()))
}

// prmt picks four of the eight bytes of y and x. A selector is the number of a byte; with 8 added,
// its sign eight times. The modes make four selectors of the low two bits of one.
func prmt(b *builder) {
	x, y, c := b.source(arith.U32), b.source(arith.U32), b.source(arith.U32)
	op := func(op arith.Op, v Value, i int64) Value { return b.do(op, v.Type, v, b.constant(i, v.Type)) }
	both := b.do(arith.Or, arith.U64, op(arith.Shl, b.resize(y, arith.U64), 32), b.resize(x, arith.U64))
	result := b.constant(0, arith.U64)
	for i := range int64(4) {
		selector := op(arith.And, op(arith.Shr, c, 4*i), 15)
		if b.Opcode.Mode != "" {
			selector = permutations[b.Opcode.Mode](op, op(arith.And, c, 3), i)
		}
		at := b.resize(op(arith.Shl, op(arith.And, selector, 7), 3), arith.U64)
		part := op(arith.And, b.do(arith.Shr, arith.U64, both, at), 255)
		sign := b.do(arith.Sub, arith.U64, b.constant(0, arith.U64), op(arith.Shr, part, 7))
		part = b.do(arith.Select, arith.U64, op(arith.And, sign, 255), part, op(arith.Ge, selector, 8))
		result = b.do(arith.Or, arith.U64, result, op(arith.Shl, part, 8*i))
	}
	b.result(b.resize(result, b.t()))
}

// permutations are the modes of prmt: the selector of the i-th byte, from a number below 4.
var permutations = map[string]func(op func(arith.Op, Value, int64) Value, c Value, i int64) Value{
	"f4e": func(op func(arith.Op, Value, int64) Value, c Value, i int64) Value { return op(arith.Add, c, i) },
	"b4e": func(op func(arith.Op, Value, int64) Value, c Value, i int64) Value {
		return op(arith.And, op(arith.Sub, c, i), 7)
	},
	"rc8": func(_ func(arith.Op, Value, int64) Value, c Value, _ int64) Value { return c },
	"ecl": func(op func(arith.Op, Value, int64) Value, c Value, i int64) Value { return op(arith.Max, c, i) },
	"ecr": func(op func(arith.Op, Value, int64) Value, c Value, i int64) Value { return op(arith.Min, c, i) },
	"rc16": func(op func(arith.Op, Value, int64) Value, c Value, i int64) Value {
		return op(arith.Add, op(arith.Shl, op(arith.And, c, 1), 1), i&1)
	},
}

// field returns a position or a length, reduced to its low 8 bits.
func (b *builder) field(n Value) Value {
	return b.do(arith.And, arith.U32, n, b.constant(255, arith.U32))
}

// mask returns length ones at the low end. The shift yields 0 if length is the width or more, so
// that the mask is then all ones.
func (b *builder) mask(t arith.Type, length Value) Value {
	return b.do(arith.Sub, t, b.do(arith.Shl, t, b.constant(1, t), length), b.constant(1, t))
}

// signExtended extends the sign of the lowest length bits to the bits above them.
func (b *builder) signExtended(bits, length Value) Value {
	t := bits.Type
	sign := b.do(arith.Shl, t, b.constant(1, t), b.do(arith.Sub, t, length, b.constant(1, t)))
	return b.do(arith.Sub, t, b.do(arith.Xor, t, bits, sign), sign)
}

// bfe returns the length bits of x that start at a position (PTX ISA, "bfe"). A signed type extends
// their sign; if they end above the highest bit of x, that bit is the sign.
func bfe(b *builder) {
	t := b.t()
	x, at, length := b.source(t), b.source(arith.U32), b.source(arith.U32)
	at, length = b.count(b.field(at), t), b.count(b.field(length), t)
	bits := b.do(arith.And, t, b.do(arith.Shr, t, x, at), b.mask(t, length))
	if t.Signed {
		bits = b.signExtended(bits, length)
	}
	b.result(bits)
}

// bfi returns y with the low length bits of x inserted at a position.
func bfi(b *builder) {
	t := b.t()
	x, y, at, length := b.source(t), b.source(t), b.source(arith.U32), b.source(arith.U32)
	at = b.count(b.field(at), t)
	mask := b.do(arith.Shl, t, b.mask(t, b.count(b.field(length), t)), at)
	around := b.do(arith.And, t, y, b.not(mask))
	b.result(b.do(arith.Or, t, around, b.do(arith.And, t, b.do(arith.Shl, t, x, at), mask)))
}

// groups returns ones in every other group of n bits, the lowest group first.
func (b *builder) groups(n int, t arith.Type) Value {
	all := ^uint64(0)
	return b.constant(int64(all/(1<<n+1)), t)
}

// ones returns the number of ones in v, in 32 bits. It counts them in groups of two, four and eight
// bits, and adds the groups (Warren, Sec. 5-1).
func (b *builder) ones(v Value) Value {
	op := func(op arith.Op, x, y Value) Value { return b.do(op, arith.U64, x, y) }
	number := func(i int64) Value { return b.constant(i, arith.U64) }
	group := func(n int) Value { return b.groups(n, arith.U64) }
	x := b.resize(v.as(unsigned(v.Type)), arith.U64)
	x = op(arith.Sub, x, op(arith.And, op(arith.Shr, x, number(1)), group(1)))
	x = op(arith.Add, op(arith.And, x, group(2)), op(arith.And, op(arith.Shr, x, number(2)), group(2)))
	x = op(arith.And, op(arith.Add, x, op(arith.Shr, x, number(4))), group(4))
	return b.resize(op(arith.Shr, op(arith.Mul, x, number(0x0101010101010101)), number(56)), arith.U32)
}

func popc(b *builder) { b.result(b.ones(b.source(b.t()))) }

// leadingZeros counts the zeros above the highest one. It sets every bit below the highest one, and
// counts the remaining zeros.
func (b *builder) leadingZeros(v Value) Value {
	t := v.Type
	for n := 1; n < t.Bits; n *= 2 {
		v = b.do(arith.Or, t, v, b.do(arith.Shr, unsigned(t), v, b.constant(int64(n), t)))
	}
	return b.ones(b.not(v))
}

func clz(b *builder) { b.result(b.leadingZeros(b.source(b.t()))) }

// bfind returns the position of the highest bit that differs from the sign, or all ones if no bit
// does.
func bfind(b *builder) {
	t := b.t()
	x := b.source(t)
	if t.Signed {
		x = b.do(arith.Xor, t, x, b.do(arith.Shr, t, x, b.constant(int64(t.Bits-1), t)))
	}
	zeros := b.leadingZeros(x)
	position := b.do(arith.Sub, arith.U32, b.constant(int64(t.Bits-1), arith.U32), zeros)
	if b.Opcode.Amount {
		none := b.do(arith.Eq, t, x, b.constant(0, t))
		position = b.do(arith.Select, arith.U32, b.constant(-1, arith.U32), zeros, none)
	}
	b.result(position)
}

// brev reverses the bits: it swaps neighbouring groups of bits, and doubles the size of the groups
// each time.
func brev(b *builder) {
	t := b.t()
	v := b.source(t)
	for n := 1; n < t.Bits; n *= 2 {
		count := b.constant(int64(n), t)
		high := b.do(arith.And, t, b.do(arith.Shr, unsigned(t), v, count), b.groups(n, t))
		v = b.do(arith.Or, t, high, b.do(arith.Shl, t, b.do(arith.And, t, v, b.groups(n, t)), count))
	}
	b.result(v)
}

// fns returns the position of the n-th one of a mask that is at a position or above it; if n is
// negative, at the position or below it. If n is 0, it returns the position if its bit is set. It
// returns all ones if there is no such bit. The one of a given rank is at position p if p positions
// have fewer ones at and below them.
func fns(b *builder) {
	t := arith.S32
	op := func(op arith.Op, x, y Value) Value { return b.do(op, t, x, y) }
	number := func(i int64) Value { return b.constant(i, t) }
	both := func(p, q Value) Value { return b.do(arith.And, arith.Bool, p, q) }
	mask, from, n := b.source(arith.U32), b.source(arith.U32), b.source(t)
	ones := func(below Value) Value { // in the low bits of the mask
		return b.ones(b.do(arith.And, arith.U32, mask, b.do(arith.Sub, arith.U32, below, b.constant(1, arith.U32)))).as(t)
	}

	down := b.resize(op(arith.Lt, n, number(0)), t)
	zeroth := op(arith.Eq, n, number(0))
	before := b.do(arith.Shl, arith.U32, b.constant(1, arith.U32), op(arith.Add, from.as(t), down).as(arith.U32))
	rank := op(arith.Add, ones(before), op(arith.Add, op(arith.Add, n, down), b.resize(zeroth, t)))

	at := number(0)
	for i := range 32 {
		at = op(arith.Add, at, b.resize(op(arith.Lt, ones(b.constant(2<<i, arith.U32)), rank), t))
	}
	there := b.do(arith.And, arith.U32, b.do(arith.Shr, arith.U32, mask, from), b.constant(1, arith.U32))
	exists := both(op(arith.Ge, rank, number(1)), op(arith.Le, rank, b.ones(mask).as(t)))
	exists = both(exists, b.do(arith.Lt, arith.U32, from, b.constant(32, arith.U32)))
	exists = both(exists, b.do(arith.Or, arith.Bool, op(arith.Ne, n, number(0)), b.do(arith.Ne, arith.U32, there, b.constant(0, arith.U32))))
	b.result(b.do(arith.Select, t, at, number(-1), exists))
}

// bounded returns a position or a length of bmsk and szext: at most 32, or its low 5 bits.
func (b *builder) bounded(n Value) Value {
	if b.Opcode.Clamp {
		return b.do(arith.Min, arith.U32, n, b.constant(32, arith.U32))
	}
	return b.do(arith.And, arith.U32, n, b.constant(31, arith.U32))
}

// bmsk returns length ones that start at a position.
func bmsk(b *builder) {
	at, length := b.source(arith.U32), b.source(arith.U32)
	b.result(b.do(arith.Shl, arith.U32, b.mask(arith.U32, b.bounded(length)), b.bounded(at)))
}

// szext returns the low length bits, extended with zeros or with their sign.
func szext(b *builder) {
	t := b.t()
	x, length := b.source(t), b.source(arith.U32)
	length = b.bounded(length)
	bits := b.do(arith.And, t, x, b.mask(t, length))
	if t.Signed {
		bits = b.signExtended(bits, length)
	}
	b.result(bits)
}

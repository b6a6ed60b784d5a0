package term

import "github.com/muster-gpu/muster/arith"

// operations are the arithmetic operations on two operands, for unsigned and signed types.
var operations = map[arith.Op]struct {
	unsigned, signed func(b *Builder, x, y *Term) *Term
}{
	arith.Add: {(*Builder).Add, (*Builder).Add},
	arith.Sub: {(*Builder).Sub, (*Builder).Sub},
	arith.Mul: {(*Builder).Mul, (*Builder).Mul},
	arith.Div: {(*Builder).UDiv, (*Builder).SDiv},
	arith.Rem: {(*Builder).URem, (*Builder).SRem},
	arith.And: {(*Builder).And, (*Builder).And},
	arith.Or:  {(*Builder).Or, (*Builder).Or},
	arith.Xor: {(*Builder).Xor, (*Builder).Xor},
	arith.Shl: {(*Builder).Shl, (*Builder).Shl},
	arith.Shr: {(*Builder).LShr, (*Builder).AShr},
	arith.Min: {least((*Builder).ULt), least((*Builder).SLt)},
	arith.Max: {greatest((*Builder).ULt), greatest((*Builder).SLt)},
	arith.Inc: {increment, increment},
	arith.Dec: {decrement, decrement},
	arith.Eq:  {(*Builder).Eq, (*Builder).Eq},
	arith.Ne:  {(*Builder).Ne, (*Builder).Ne},
	arith.Lt:  {(*Builder).ULt, (*Builder).SLt},
	arith.Le:  {(*Builder).ULe, (*Builder).SLe},
	arith.Gt:  {swapped((*Builder).ULt), swapped((*Builder).SLt)},
	arith.Ge:  {swapped((*Builder).ULe), swapped((*Builder).SLe)},
}

// Apply returns an arithmetic operation on operands of the type's width. Where arith has no value,
// as for a quotient by 0, the term's value is arbitrary. An index is assumed to be in range. It
// panics for floating-point operations.
func (b *Builder) Apply(op arith.Op, t arith.Type, args ...*Term) *Term {
	if of, ok := operations[op]; ok {
		if t.Signed {
			return of.signed(b, args[0], args[1])
		}
		return of.unsigned(b, args[0], args[1])
	}
	switch op {
	case arith.Wrap:
		return b.wrap(t, args[0])
	case arith.Extend:
		if t.Signed {
			return b.SExt(args[0], 64)
		}
		return b.ZExt(args[0], 64)
	case arith.Select:
		return b.Ite(b.Ne(args[2], b.Const(0, args[2].width)), args[0], args[1])
	case arith.Index:
		return args[0]
	}
	panic("term: " + op.String() + " has no term")
}

// wrap converts a term from one type to another.
func (b *Builder) wrap(t arith.Type, x *Term) *Term {
	switch {
	case t == arith.Bool:
		return b.Ne(x, b.Const(0, x.width))
	case t.Bits <= x.width:
		return b.Extract(x, 0, t.Bits)
	}
	return b.SExt(x, t.Bits) // arith keeps values sign-extended
}

type operation = func(b *Builder, x, y *Term) *Term

func least(less operation) operation {
	return func(b *Builder, x, y *Term) *Term { return b.Ite(less(b, x, y), x, y) }
}

func greatest(less operation) operation {
	return func(b *Builder, x, y *Term) *Term { return b.Ite(less(b, x, y), y, x) }
}

func swapped(of operation) operation {
	return func(b *Builder, x, y *Term) *Term { return of(b, y, x) }
}

func increment(b *Builder, x, bound *Term) *Term {
	return b.Ite(b.ULt(x, bound), b.Add(x, b.Const(1, x.width)), b.Const(0, x.width))
}

func decrement(b *Builder, x, bound *Term) *Term {
	wraps := b.Or(b.Eq(x, b.Const(0, x.width)), b.ULt(bound, x))
	return b.Ite(wraps, bound, b.Sub(x, b.Const(1, x.width)))
}

package ptx

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
)

// formula is what an instruction computes from its sources, at its type, if that takes several
// operations, one within the other.
type formula func(c *computing, t Type, x []event.Expr) event.Expr

// computing builds an expression for an instruction. After an error nothing is built any more.
type computing struct {
	*walk
	in  *Instr
	err error
}

// do applies an operation.
func (c *computing) do(op arith.Op, t Type, args ...event.Expr) event.Expr {
	if c.err != nil {
		return args[0]
	}
	x, err := c.apply(c.in, op, t, args...)
	if err != nil {
		c.err = err
		return args[0]
	}
	return x
}

func constant(i int64) event.Expr { return event.Const(event.Int(i)) }

// formula sets the destination to the instruction's formula of its sources.
func (w *walk) formula(in *Instr) error {
	args, err := w.sources(in)
	if err != nil {
		return err
	}
	var values []event.Expr
	var from deps
	for _, a := range args {
		values = append(values, a.value)
		from = from.union(a.from)
	}
	c := &computing{walk: w, in: in}
	x := in.op.formula(c, in.Type(0), values)
	if c.err != nil {
		return c.err
	}
	if x, err = w.whole(in, in.result(), x); err != nil {
		return err
	}
	return w.set(in.Dst, x, in.result(), from)
}

// result is the type of what an instruction computes: twice as wide as the operands of a wide
// product, and 32 bits of what counts bits (PTX ISA, "mul", "popc").
func (in *Instr) result() Type {
	t := in.Type(0)
	switch {
	case in.Mods.Half == "wide":
		return Type{Signed: t.Signed, Bits: 2 * t.Bits}
	case in.Name == "popc" || in.Name == "clz":
		return arith.U32
	}
	return t
}

// formulas are by the names of instructions.
var formulas = map[string]formula{
	"neg":  func(c *computing, t Type, x []event.Expr) event.Expr { return c.do(arith.Sub, t, constant(0), x[0]) },
	"not":  func(c *computing, t Type, x []event.Expr) event.Expr { return c.not(t, x[0]) },
	"cnot": func(c *computing, t Type, x []event.Expr) event.Expr { return c.do(arith.Eq, t, x[0], constant(0)) },
	"abs": func(c *computing, t Type, x []event.Expr) event.Expr {
		return c.do(arith.Max, t, x[0], c.do(arith.Sub, t, constant(0), x[0]))
	},
	"mul": (*computing).product,
	"mad": func(c *computing, t Type, x []event.Expr) event.Expr {
		return c.do(arith.Add, c.in.result(), c.product(t, x), x[2])
	},
	"bfe":  (*computing).extract,
	"bfi":  (*computing).insert,
	"lop3": (*computing).logic,
	"popc": func(c *computing, t Type, x []event.Expr) event.Expr { return c.ones(t, x[0]) },
	"clz":  (*computing).leadingZeros,
	"brev": (*computing).reverse,
	"shf":  (*computing).funnel,
}

// not is the complement; of a predicate, its negation.
func (c *computing) not(t Type, x event.Expr) event.Expr { return c.do(arith.Xor, t, x, constant(-1)) }

// unsigned is a type whose values are shifted without their sign.
func unsigned(t Type) Type { return Type{Bits: t.Bits} }

// product is the low or the high half of a product, or all of it (PTX ISA, "mul").
func (c *computing) product(t Type, x []event.Expr) event.Expr {
	half := c.in.Mods.Half
	if half == "" || half == "lo" {
		return c.do(arith.Mul, t, x[0], x[1])
	}
	if t.Bits == 64 {
		return c.highProduct(t, x[0], x[1])
	}
	all := c.do(arith.Mul, arith.S64, c.do(arith.Extend, t, x[0]), c.do(arith.Extend, t, x[1]))
	if half == "wide" {
		return all
	}
	return c.do(arith.Shr, arith.S64, all, constant(int64(t.Bits)))
}

// highProduct is the high half of a product of 64 bits, from those of its halves (Warren,
// "Hacker's Delight", Sec. 8-2 and 8-3).
func (c *computing) highProduct(t Type, a, b event.Expr) event.Expr {
	op := func(op arith.Op, x, y event.Expr) event.Expr { return c.do(op, arith.U64, x, y) }
	low := func(x event.Expr) event.Expr { return op(arith.And, x, constant(1<<32-1)) }
	high := func(x event.Expr) event.Expr { return op(arith.Shr, x, constant(32)) }
	carried := op(arith.Add, op(arith.Mul, high(a), low(b)), high(op(arith.Mul, low(a), low(b))))
	middle := op(arith.Add, op(arith.Mul, low(a), high(b)), low(carried))
	h := op(arith.Add, op(arith.Mul, high(a), high(b)), op(arith.Add, high(carried), high(middle)))
	if !t.Signed {
		return h
	}
	ifNegative := func(x, y event.Expr) event.Expr {
		return op(arith.And, c.do(arith.Shr, arith.S64, x, constant(63)), y)
	}
	return op(arith.Sub, op(arith.Sub, h, ifNegative(a, b)), ifNegative(b, a))
}

// field is the low bits of a position or a length, of which only 8 count.
func (c *computing) field(t Type, x event.Expr) event.Expr {
	return c.do(arith.And, t, x, constant(0xff))
}

// mask has so many ones, at the low end: a shift by the width or more leaves none.
func (c *computing) mask(t Type, length event.Expr) event.Expr {
	return c.do(arith.Sub, t, c.do(arith.Shl, t, constant(1), length), constant(1))
}

// extract is the bits of x[0] from position x[1], so many as x[2] (PTX ISA, "bfe"). Of a signed
// type they are sign-extended.
func (c *computing) extract(t Type, x []event.Expr) event.Expr {
	length := c.field(t, x[2])
	bits := c.do(arith.And, t, c.do(arith.Shr, t, x[0], c.field(t, x[1])), c.mask(t, length))
	if !t.Signed {
		return bits
	}
	sign := c.do(arith.Shl, t, constant(1), c.do(arith.Sub, t, length, constant(1)))
	return c.do(arith.Sub, t, c.do(arith.Xor, t, bits, sign), sign)
}

// insert is x[1] with the low bits of x[0] at position x[2], so many as x[3] (PTX ISA, "bfi").
func (c *computing) insert(t Type, x []event.Expr) event.Expr {
	at := c.field(t, x[2])
	mask := c.do(arith.Shl, t, c.mask(t, c.field(t, x[3])), at)
	around := c.do(arith.And, t, x[1], c.not(t, mask))
	return c.do(arith.Or, t, around, c.do(arith.And, t, c.do(arith.Shl, t, x[0], at), mask))
}

// logic is a function of three bits, of which the operand after them is the table (PTX ISA, "lop3").
func (c *computing) logic(t Type, x []event.Expr) event.Expr {
	table := c.in.Srcs[3].Int
	result := constant(0)
	for row := range int64(8) {
		if table>>row&1 == 0 {
			continue
		}
		all := constant(-1)
		for i := range 3 {
			bit := x[i]
			if row>>(2-i)&1 == 0 {
				bit = c.not(t, bit)
			}
			all = c.do(arith.And, t, all, bit)
		}
		result = c.do(arith.Or, t, result, all)
	}
	return result
}

// groups has ones in every other group of so many bits, the lowest first.
func groups(n int) event.Expr {
	all := ^uint64(0)
	return constant(int64(all / (1<<n + 1)))
}

// ones counts the ones of x: of each two bits, each four, each eight, and the sum of those (PTX
// ISA, "popc"; Warren, Sec. 5-1).
func (c *computing) ones(t Type, x event.Expr) event.Expr {
	op := func(op arith.Op, x, y event.Expr) event.Expr { return c.do(op, arith.U64, x, y) }
	x = c.do(arith.Extend, unsigned(t), x)
	x = op(arith.Sub, x, op(arith.And, op(arith.Shr, x, constant(1)), groups(1)))
	x = op(arith.Add, op(arith.And, x, groups(2)), op(arith.And, op(arith.Shr, x, constant(2)), groups(2)))
	x = op(arith.And, op(arith.Add, x, op(arith.Shr, x, constant(4))), groups(4))
	return op(arith.Shr, op(arith.Mul, x, constant(0x0101010101010101)), constant(56))
}

// leadingZeros counts the zeros above the highest one (PTX ISA, "clz"): those that are left when
// every bit below it is set.
func (c *computing) leadingZeros(t Type, x []event.Expr) event.Expr {
	v := x[0]
	for n := 1; n < t.Bits; n *= 2 {
		v = c.do(arith.Or, t, v, c.do(arith.Shr, unsigned(t), v, constant(int64(n))))
	}
	return c.ones(t, c.not(t, v))
}

// reverse swaps neighbouring groups of bits, then those of twice as many (PTX ISA, "brev").
func (c *computing) reverse(t Type, x []event.Expr) event.Expr {
	v := x[0]
	for n := 1; n < t.Bits; n *= 2 {
		high := c.do(arith.And, t, c.do(arith.Shr, unsigned(t), v, constant(int64(n))), groups(n))
		v = c.do(arith.Or, t, high, c.do(arith.Shl, t, c.do(arith.And, t, v, groups(n)), constant(int64(n))))
	}
	return v
}

// funnel shifts the 64 bits of x[1] and x[0], and keeps the high half of a shift to the left, the
// low one of a shift to the right (PTX ISA, "shf").
func (c *computing) funnel(t Type, x []event.Expr) event.Expr {
	both := c.do(arith.Or, arith.U64, c.do(arith.Shl, arith.U64, x[1], constant(32)), c.do(arith.Extend, unsigned(t), x[0]))
	count := c.do(arith.And, t, x[2], constant(31))
	if c.in.Mods.Clamp {
		count = c.do(arith.Min, unsigned(t), x[2], constant(32))
	}
	if c.in.Mods.Left {
		return c.do(arith.Shr, arith.U64, c.do(arith.Shl, arith.U64, both, count), constant(32))
	}
	return c.do(arith.Shr, arith.U64, both, count)
}

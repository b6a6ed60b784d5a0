package clike

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/litmus"
)

// Values are kept as signed integers, and conditions compare them as such. An unsigned value with
// its highest bit set would therefore be less than 0. So a comparison of the size of unsigned
// values is rewritten into signed ones.

// Signed returns an equivalent proposition whose comparisons are all signed.
func (p *Program) Signed(prop litmus.Prop) litmus.Prop { return litmus.MapAtoms(prop, p.signed) }

func (p *Program) signed(a litmus.Atom) litmus.Prop {
	if a.Op == litmus.Equal || a.Op == litmus.NotEqual || a.X.Const.Loc != "" || a.Y.Const.Loc != "" {
		return a
	}
	t := p.comparedAs(a)
	if t.Signed || t.Bits < 32 { // of fewer bits, values are as they should be
		return a
	}
	a.X.Const, a.Y.Const = asKept(t, a.X.Const), asKept(t, a.Y.Const)
	if t.Bits == 32 && (a.X.Ref == nil && !fits32(a.X.Const.Int) || a.Y.Ref == nil && !fits32(a.Y.Const.Int)) {
		return p.beyond(a)
	}
	switch a.Op {
	case litmus.Less, litmus.LessEqual:
		return below(a.Op, a.X, a.Y)
	case litmus.Greater:
		return below(litmus.Less, a.Y, a.X)
	}
	return below(litmus.LessEqual, a.Y, a.X)
}

// comparedAs returns the type in which the operands are compared: that of the operands that are not
// constants. If one has 32 bits and one 64, it is signed, because the kept value of an unsigned
// 32-bit integer is not its 64-bit value.
func (p *Program) comparedAs(a litmus.Atom) arith.Type {
	switch x, y := a.X.Ref, a.Y.Ref; {
	case x == nil && y == nil:
		return arith.S32
	case x == nil:
		return p.typeOf(*y)
	case y == nil:
		return p.typeOf(*x)
	default:
		t, u := promoted(p.typeOf(*x)), promoted(p.typeOf(*y))
		if t.Bits != u.Bits {
			return arith.S64
		}
		return common(t, u)
	}
}

// typeOf returns the type of what a register or a location holds.
func (p *Program) typeOf(r litmus.Ref) arith.Type {
	if r.Thread >= 0 {
		if reg := p.Code[r.Thread].Lookup(r.Name); reg != None {
			return p.Code[r.Thread].Types[reg].Holds()
		}
	} else if l, ok := p.Loc(r.Name, r.Index); ok {
		return p.types[l]
	}
	return arith.S32
}

// asKept returns a constant as values of type t are kept: 0xffffffff beside an int is -1.
func asKept(t arith.Type, v litmus.Value) litmus.Value {
	if v.Loc == "" && t.Bits == 32 && v.Int == int64(uint32(v.Int)) {
		v.Int = int64(int32(v.Int))
	}
	return v
}

func fits32(n int64) bool { return n == int64(int32(n)) }

// beyond decides a comparison with a constant that has more bits than the other operand: all values
// of the operand are on the same side of it.
func (p *Program) beyond(a litmus.Atom) litmus.Prop {
	if a.X.Ref == nil {
		return litmus.Truth(a.Op.Holds(a.X.Const, litmus.Value{}))
	}
	return litmus.Truth(a.Op.Holds(litmus.Value{}, a.Y.Const))
}

// below returns a proposition that x is below y, both unsigned: x is less by op and not only x has
// its highest bit set, or only y has.
func below(op litmus.Comparison, x, y litmus.Operand) litmus.Prop {
	low := func(o litmus.Operand) litmus.Prop { return compared(litmus.GreaterEqual, o, litmus.Operand{}) }
	high := func(o litmus.Operand) litmus.Prop { return compared(litmus.Less, o, litmus.Operand{}) }
	return either(
		both(compared(op, x, y), not(both(high(x), low(y)))),
		both(low(x), high(y)),
	)
}

// The propositions as short as constants make them.

func compared(op litmus.Comparison, x, y litmus.Operand) litmus.Prop {
	if x.Ref == nil && y.Ref == nil {
		return litmus.Truth(op.Holds(x.Const, y.Const))
	}
	return litmus.Atom{Op: op, X: x, Y: y}
}

func not(x litmus.Prop) litmus.Prop {
	if t, ok := x.(litmus.Truth); ok {
		return !t
	}
	return litmus.Not{X: x}
}

func both(x, y litmus.Prop) litmus.Prop { return joined(litmus.And, true, x, y) }

func either(x, y litmus.Prop) litmus.Prop { return joined(litmus.Or, false, x, y) }

// joined returns x and y under a connective; neutral is the truth value that is neutral for it.
func joined(op litmus.Connective, neutral litmus.Truth, x, y litmus.Prop) litmus.Prop {
	switch {
	case x == neutral, y == !neutral:
		return y
	case y == neutral, x == !neutral:
		return x
	}
	return litmus.Binary{Op: op, X: x, Y: y}
}

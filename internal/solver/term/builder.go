package term

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// ErrStopped is the panic value of a Builder when Builder.Stop returns true.
var ErrStopped = errors.New("it was stopped")

// stopEvery is the number of terms between calls of Stop.
const stopEvery = 1 << 7

// Builder makes terms, each only once. It belongs to one goroutine.
type Builder struct {
	// Stop, if not nil, is polled; true stops. Every slow computation makes terms.
	Stop  func() bool
	steps int // number of requested terms

	operands int // total of all terms
	table    map[string]*Term
	terms    []*Term
	key      []byte
	parts    map[extraction]*Term // memoises Extract: terms share operands, and Extract visits every path
	small    [4][65]*Term         // small constants, the most frequent terms, by value and width
}

type extraction struct{ id, low, width int }

// NewBuilder returns a builder without terms.
func NewBuilder() *Builder { return &Builder{table: map[string]*Term{}, parts: map[extraction]*Term{}} }

// Len returns how many terms there are.
func (b *Builder) Len() int { return len(b.terms) }

// Operands returns the total number of operands of all terms.
func (b *Builder) Operands() int { return b.operands }

// intern returns the existing term that equals t, or adds t.
func (b *Builder) intern(t Term) *Term {
	if t.width < 1 || t.width > 64 {
		panic(fmt.Sprintf("a term of %d bits", t.width))
	}
	if b.steps++; b.steps%stopEvery == 0 && b.Stop != nil && b.Stop() {
		panic(ErrStopped)
	}
	key := append(b.key[:0], byte(t.op), byte(t.width))
	key = binary.AppendUvarint(key, t.k)
	for i, a := range t.args {
		key = binary.AppendUvarint(key, uint64(a.id))
		if t.coefs != nil {
			key = binary.AppendUvarint(key, t.coefs[i])
		}
	}
	key = append(append(key, 0), t.name...)
	b.key = key
	if old := b.table[string(key)]; old != nil {
		return old
	}
	made := new(Term) // not &t, which would allocate on each call
	*made = t
	made.id = len(b.terms)
	b.operands += len(t.args)
	made.bound()
	b.terms = append(b.terms, made)
	b.table[string(key)] = made
	return made
}

// Const returns a constant of width bits; higher bits of v are ignored.
func (b *Builder) Const(v uint64, width int) *Term {
	v &= Mask(width)
	if v >= uint64(len(b.small)) {
		return b.intern(Term{op: Const, width: width, k: v})
	}
	if b.small[v][width] == nil {
		b.small[v][width] = b.intern(Term{op: Const, width: width, k: v})
	}
	return b.small[v][width]
}

// Bool returns a truth value.
func (b *Builder) Bool(v bool) *Term {
	if v {
		return b.Const(1, 1)
	}
	return b.Const(0, 1)
}

// Var returns the variable of that name and width.
func (b *Builder) Var(name string, width int) *Term {
	return b.intern(Term{op: Var, width: width, name: name})
}

// UpTo returns the variable of that name with values from 0 to hi, of the least width.
func (b *Builder) UpTo(name string, hi uint64) *Term {
	width := max(1, bits.Len64(hi))
	if hi == Mask(width) {
		return b.Var(name, width)
	}
	return b.intern(Term{op: Var, width: width, name: name, k: hi})
}

// App returns an application of an uninterpreted function to operands.
func (b *Builder) App(name string, width int, args ...*Term) *Term {
	return b.intern(Term{op: App, width: width, name: name, args: args})
}

// ZExt returns t zero-extended to width.
func (b *Builder) ZExt(t *Term, width int) *Term {
	switch {
	case t.width == width:
		return t
	case t.op == Const:
		return b.Const(t.k, width)
	case t.op == ZExt:
		t = t.args[0]
	case t.op == Extract && t.k == 0 && t.args[0].op == UDiv && t.args[0].width == width &&
		t.args[0].hi <= Mask(t.width):
		return t.args[0] // nothing was cut off
	case t.op == Sum && t.exact:
		return b.extendSum(t, width)
	case t.op == Mul && t.exact:
		return b.Mul(b.ZExt(t.args[0], width), b.ZExt(t.args[1], width))
	}
	return b.intern(Term{op: ZExt, width: width, args: []*Term{t}})
}

// SExt returns t sign-extended to width.
func (b *Builder) SExt(t *Term, width int) *Term {
	if t.width == width {
		return t
	}
	half := uint64(1) << (t.width - 1)
	return b.Sub(b.ZExt(b.Add(t, b.Const(half, t.width)), width), b.Const(half, width))
}

// Extract returns width bits of t, from bit low up.
func (b *Builder) Extract(t *Term, low, width int) *Term {
	switch {
	case low == 0 && t.width == width:
		return t
	case t.ones>>low&Mask(width) == 0:
		return b.Const(0, width)
	}
	made := extraction{t.id, low, width}
	x := b.parts[made]
	if x == nil {
		x = b.extract(t, low, width)
		b.parts[made] = x
	}
	return x
}

// extract computes Extract of a proper part of t that may be nonzero.
func (b *Builder) extract(t *Term, low, width int) *Term {
	switch t.op {
	case Const:
		return b.Const(t.k>>low, width)
	case Extract:
		return b.Extract(t.args[0], low+int(t.k), width)
	case ZExt:
		if inner := t.args[0]; low+width <= inner.width {
			return b.Extract(inner, low, width)
		} else if low < inner.width {
			return b.ZExt(b.Extract(inner, low, inner.width-low), width)
		}
	case Sum:
		if low == 0 {
			return b.truncateSum(t, width)
		}
		if x := b.shiftSum(t, low); x != nil {
			return b.Extract(x, 0, width)
		}
		if x := b.quotient(t, low); x != nil {
			return b.Extract(x, 0, width)
		}
	case Mul:
		if low == 0 {
			return b.Mul(b.Extract(t.args[0], 0, width), b.Extract(t.args[1], 0, width))
		}
	case And, Or, Xor:
		return b.bitwise(t.op, b.Extract(t.args[0], low, width), b.Extract(t.args[1], low, width))
	case Ite:
		return b.Ite(t.args[0], b.Extract(t.args[1], low, width), b.Extract(t.args[2], low, width))
	}
	return b.intern(Term{op: Extract, width: width, k: uint64(low), args: []*Term{t}})
}

// And returns the bitwise and; of truth values, the conjunction.
func (b *Builder) And(x, y *Term) *Term { return b.bitwise(And, x, y) }

// Or returns the bitwise or; of truth values, the disjunction.
func (b *Builder) Or(x, y *Term) *Term { return b.bitwise(Or, x, y) }

// Xor returns the bitwise exclusive or.
func (b *Builder) Xor(x, y *Term) *Term { return b.bitwise(Xor, x, y) }

// Not returns the bitwise complement; of a truth value, the negation.
func (b *Builder) Not(x *Term) *Term {
	if x.width == 1 {
		return b.Xor(x, b.Const(1, 1))
	}
	return b.Sub(b.Const(Mask(x.width), x.width), x)
}

// Implies returns x → y.
func (b *Builder) Implies(x, y *Term) *Term { return b.Or(b.Not(x), y) }

func (b *Builder) bitwise(op Op, x, y *Term) *Term {
	if x.op == Const || y.op != Const && x.id > y.id {
		x, y = y, x // a constant comes second
	}
	if y.op == Const {
		if t := b.withConstant(op, x, y.k); t != nil {
			return t
		}
	}
	switch {
	case x == y && op == Xor:
		return b.Const(0, x.width)
	case x == y:
		return x
	case x.ones&y.ones == 0 && op == And:
		return b.Const(0, x.width)
	case x.ones&y.ones == 0 && x.width > 1:
		return b.Add(x, y)
	case x.width == 1 && op != Xor && (x == b.complement(y) || y == b.complement(x)):
		return b.Bool(op == Or)
	}
	return b.intern(Term{op: op, width: x.width, args: []*Term{x, y}})
}

// complement returns the negation of a truth value if x is a negation, else nil.
func (b *Builder) complement(x *Term) *Term {
	if x.width == 1 && x.op == Xor && x.args[1].True() {
		return x.args[0]
	}
	return nil
}

// withConstant returns x op c if that simplifies, else nil.
func (b *Builder) withConstant(op Op, x *Term, c uint64) *Term {
	all := Mask(x.width)
	switch {
	case x.op == Const:
		return b.Const(value(op, x.width, []uint64{x.k, c}), x.width)
	case op == And && c&x.ones == 0:
		return b.Const(0, x.width)
	case c == 0, op == And && x.ones&^c == 0:
		return x
	case c == all && op == Or:
		return b.Const(all, x.width)
	case c == all && op == Xor && x.width > 1:
		return b.Not(x)
	case op == Xor && x.op == Xor && x.args[1].op == Const:
		return b.Xor(x.args[0], b.Const(x.args[1].k^c, x.width))
	case op == And:
		return b.masked(x, c&x.ones)
	}
	return nil
}

// masked returns x & c if the ones of c are contiguous, as an extracted part of x shifted back,
// else nil.
func (b *Builder) masked(x *Term, c uint64) *Term {
	low := bits.TrailingZeros64(c)
	n := bits.Len64(c) - low
	if c>>low != Mask(n) || n == x.width {
		return nil
	}
	return b.shiftLeft(b.ZExt(b.Extract(x, low, n), x.width), low)
}

// shiftLeft returns t shifted left by n < width bits.
func (b *Builder) shiftLeft(t *Term, n int) *Term { return b.scale(t, uint64(1)<<n) }

// Shl returns x shifted left by y.
func (b *Builder) Shl(x, y *Term) *Term {
	if n, ok := y.Value(); ok {
		if n >= uint64(x.width) {
			return b.Const(0, x.width)
		}
		return b.shiftLeft(x, int(n))
	}
	return b.intern(Term{op: Shl, width: x.width, args: []*Term{x, y}})
}

// LShr returns x shifted right by y, filled with zeros.
func (b *Builder) LShr(x, y *Term) *Term {
	n, ok := y.Value()
	switch {
	case !ok:
		return b.intern(Term{op: LShr, width: x.width, args: []*Term{x, y}})
	case n >= uint64(x.width):
		return b.Const(0, x.width)
	}
	return b.ZExt(b.Extract(x, int(n), x.width-int(n)), x.width)
}

// AShr returns x shifted right by y, filled with the highest bit.
func (b *Builder) AShr(x, y *Term) *Term {
	negative := b.Extract(x, x.width-1, 1)
	return b.Ite(negative, b.Not(b.LShr(b.Not(x), y)), b.LShr(x, y))
}

// Ite returns x if c holds, else y.
func (b *Builder) Ite(c, x, y *Term) *Term {
	switch {
	case c.True(), x == y:
		return x
	case c.False():
		return y
	case x.width == 1 && x.op == Const:
		if x.True() {
			return b.Or(c, y)
		}
		return b.And(b.Not(c), y)
	case x.width == 1 && y.op == Const:
		if y.True() {
			return b.Implies(c, x)
		}
		return b.And(c, x)
	}
	if inner := b.complement(c); inner != nil {
		c, x, y = inner, y, x
	}
	return b.intern(Term{op: Ite, width: x.width, args: []*Term{c, x, y}})
}

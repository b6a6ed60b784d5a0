package exec

import (
	"math"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Of floating-point numbers it is known that an instruction gives the same of the same operands,
// and nothing else; but for integers from 0 on that are so small that each is a floating-point
// number (IEEE 754): to convert, compare, add and multiply these is exact, however it is rounded.

// wholes are the largest numbers up to which all integers are numbers of a type.
var wholes = map[string]uint64{"f32": 1 << 24, "f64": 1 << 53}

// commutes are the instructions whose two operands may be swapped.
var commutes = map[isa.Code]bool{isa.Add: true, isa.Mul: true, isa.Min: true, isa.Max: true, isa.Fma: true, isa.Mad: true}

// Opaque returns an uninterpreted function, unless what it computes is known.
func (d domain) Opaque(in *isa.Opcode, t arith.Type, args ...*term.Term) (*term.Term, error) {
	if v := d.m.numbers.fromWhole(in, t, args); v != nil {
		return v, nil
	}
	whole := d.m.numbers.toWhole(in, args)
	args = append([]*term.Term(nil), args...)
	if commutes[in.Code] && len(args) > 1 && args[0].ID() > args[1].ID() {
		args[0], args[1] = args[1], args[0]
	}
	v := d.m.terms.App(trace.Opaque+in.Text, t.Bits, args...)
	if whole != nil {
		d.m.numbers.whole[v] = whole
	}
	return v, nil
}

// fromWhole returns an integer or a truth value that an instruction makes of integers in floating
// point; nil if it does something else.
func (m *integers) fromWhole(in *isa.Opcode, t arith.Type, args []*term.Term) *term.Term {
	x := m.integer(args[0], in.Types[len(in.Types)-1])
	switch to := in.Type(0); {
	case x == nil:
	case in.Code == isa.Cvt && to.Kind != isa.Floating:
		most := term.Mask(to.Bits)
		if to.Kind == isa.Signed {
			most >>= 1
		}
		if _, hi := x.Range(); hi <= most {
			return fit(m.terms, x, t.Bits, false)
		}
	case len(args) == 2 && t.Bits == 1:
		if y := m.integer(args[1], in.Types[len(in.Types)-1]); y != nil {
			return compares(m.terms, in.Cmp, x, y)
		}
	}
	return nil
}

// compares returns a comparison of numbers.
func compares(b *term.Builder, how isa.Comparison, x, y *term.Term) *term.Term {
	switch how {
	case isa.Eq, isa.Equ:
		return b.Eq(x, y)
	case isa.Ne, isa.Neu:
		return b.Ne(x, y)
	case isa.Lt, isa.Ltu:
		return b.ULt(x, y)
	case isa.Le, isa.Leu:
		return b.ULe(x, y)
	case isa.Gt, isa.Gtu:
		return b.ULt(y, x)
	case isa.Ge, isa.Geu:
		return b.ULe(y, x)
	case isa.Num, isa.NaN:
		return b.Bool(how == isa.Num)
	}
	return nil
}

// toWhole returns the integer that the result of an instruction is as a floating-point number; nil
// if that is not known.
func (m *integers) toWhole(in *isa.Opcode, args []*term.Term) (whole *term.Term) {
	b := m.terms
	to, from := in.Type(0), in.Types[len(in.Types)-1]
	var x []*term.Term
	for _, a := range args {
		if from.Kind == isa.Floating {
			a = m.integer(a, from)
		} else {
			a = fit(b, a, 64, from.Kind == isa.Signed)
		}
		if a == nil {
			return nil
		}
		x = append(x, a)
	}
	switch {
	case in.Saturate:
	case in.Code == isa.Cvt && len(x) == 1:
		whole = x[0]
	case in.Code == isa.Add && len(x) == 2:
		whole = b.Add(x[0], x[1])
	case in.Code == isa.Mul && len(x) == 2 && small(x[0], x[1]):
		whole = b.Mul(x[0], x[1])
	case in.Code == isa.Fma && len(x) == 3 && small(x[0], x[1]):
		whole = b.Add(b.Mul(x[0], x[1]), x[2])
	}
	if whole == nil {
		return nil
	}
	if _, hi := whole.Range(); hi > wholes[to.String()] {
		return nil
	}
	return whole
}

// small reports whether the product of two numbers does not wrap around.
func small(x, y *term.Term) bool {
	_, a := x.Range()
	_, b := y.Range()
	return max(a, b) < 1<<32 || min(a, b) <= 1
}

// integer returns the integer that a floating-point number of a type is, in 64 bits; nil if that is
// not known.
func (m *integers) integer(t *term.Term, typ isa.Type) *term.Term {
	most := wholes[typ.String()]
	if bits, ok := t.Value(); ok && most > 0 {
		v := math.Float64frombits(bits)
		if typ.Bits == 32 {
			v = float64(math.Float32frombits(uint32(bits)))
		}
		if v >= 0 && v <= float64(most) && v == math.Trunc(v) {
			return m.terms.Const(uint64(v), 64)
		}
		return nil
	}
	if most == 0 || t.Width() != typ.Bits {
		return nil
	}
	return m.whole[t]
}

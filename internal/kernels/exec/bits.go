package exec

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

func countsBits(code isa.Code) bool { return code == isa.Popc || code == isa.Clz || code == isa.Bfind }

// bits returns the result of an instruction that counts bits. It uses functions for zeros only in
// values that depend on other lanes: for a size, as in 31 - clz(n), the value matters.
func (m *integers) bits(op *instruction, of, exact *term.Term) *term.Term {
	b := m.terms
	if _, number := of.Value(); number || of.Width() != 32 || !m.run.config.Functions {
		return exact
	}
	count := func(name string, of *term.Term) *term.Term { return b.ZExt(b.App(name, 6, of), exact.Width()) }
	voted := term.Mentions(of, func(t *term.Term) bool { return t.Op() == term.App })
	switch below := aboveZeros(b, of); {
	case op.Code == isa.Popc && voted && below != nil:
		return count(trace.Trailing, below)
	case op.Code == isa.Popc:
		return count(trace.Ones, of)
	case op.Code == isa.Clz && voted:
		return count(trace.Leading, of)
	case op.Code == isa.Bfind && op.Amount && !op.Type(0).Int().Signed && voted:
		return b.Ite(b.Eq(of, b.Const(0, 32)), exact, count(trace.Leading, of))
	}
	return exact
}

// aboveZeros returns v if a term is ~v & (v - 1), the zeros below the lowest one of v, which is how
// compilers count them; otherwise nil.
func aboveZeros(b *term.Builder, t *term.Term) *term.Term {
	if t.Op() != term.And {
		return nil
	}
	for i, x := range t.Args() {
		if v := b.Not(x); b.Sub(v, b.Const(1, 32)) == t.Args()[1-i] {
			return v
		}
	}
	return nil
}

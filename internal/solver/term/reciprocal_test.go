package term_test

import (
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestReciprocals: a product shifted right keeps its value, whether it is a quotient for all
// numbers or only up to a bound that the variable exceeds. The factors are those of compilers, and
// others near them.
func TestReciprocals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	quotients := 0
	for range 20_000 {
		b := term.NewBuilder()
		d, low := uint64(2+r.IntN(1<<(1+r.IntN(12)))), 17+r.IntN(46)
		factor := (1<<low-1)/d + uint64(r.IntN(3))
		most := uint64(1)<<(1+r.IntN(40)) - 1 + uint64(r.IntN(3))
		x, k := b.UpTo("x", most), uint64(r.IntN(2)*r.IntN(1000))
		wide := b.Add(b.ZExt(x, 64), b.Const(k, 64))
		width := 1 + r.IntN(64-low)
		got := b.Extract(b.Mul(wide, b.Const(factor, 64)), low, width)
		if got == b.Extract(b.UDiv(wide, b.Const(d, 64)), 0, width) {
			quotients++
		}
		for range 20 {
			v := r.Uint64N(most + 1)
			switch r.IntN(4) {
			case 0:
				v = most
			case 1: // just below a multiple, where quotients first differ
				v = max((most+k)/d*d, k+1) - 1 - k
			}
			v = min(v, most)
			model := term.Model{Vars: map[string]uint64{"x": v}}
			if is, want := model.Eval(got), (v+k)*factor>>low&term.Mask(width); is != want {
				t.Fatalf("(%d + %d) * %d >> %d in %d bits, at most %d: %d, want %d: %v", v, k, factor, low, width, most,
					is, want, got)
			}
		}
	}
	if quotients < 1_000 {
		t.Errorf("%d quotients are recognized", quotients)
	}
}

// TestRemainders: compilers' code for x / 3 and x % 3 is recognised, also for signed numbers that
// are not negative, and where x is a sum.
func TestRemainders(t *testing.T) {
	b := term.NewBuilder()
	c := func(v uint64) *term.Term { return b.Const(v, 32) }
	for _, x := range []*term.Term{
		b.ZExt(b.Var("tid", 10), 32),
		b.Add(b.Mul(b.ZExt(b.UpTo("ctaid", 999), 32), c(64)), b.ZExt(b.Var("t", 6), 32)),
	} {
		wide := b.ZExt(x, 64)
		unsigned := b.LShr(b.Extract(b.Mul(wide, b.Const(0xaaaaaaab, 64)), 32, 32), c(1))
		high := b.Extract(b.Mul(b.SExt(x, 64), b.Const(1431655766, 64)), 32, 32)
		signed := b.Add(high, b.LShr(high, c(31)))
		for name, q := range map[string]*term.Term{"unsigned": unsigned, "signed": signed} {
			if want := b.UDiv(x, c(3)); q != want {
				t.Errorf("%s: %v, want %v", name, q, want)
			}
			if rem, want := b.Sub(x, b.Mul(q, c(3))), b.URem(x, c(3)); rem != want {
				t.Errorf("%s: %v, want %v", name, rem, want)
			}
		}
	}
	x, y := b.Var("x", 32), b.Var("y", 32)
	q := b.UDiv(x, c(3))
	if got := b.Sub(b.Add(b.Mul(x, c(9)), y), b.Mul(q, c(3))); got == b.Add(b.Mul(x, c(8)), b.Add(b.URem(x, c(3)), y)) {
		t.Errorf("what is not shorter is made of a remainder: %v", got)
	}
}

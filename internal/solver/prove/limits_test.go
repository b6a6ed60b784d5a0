package prove

import (
	"testing"

	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// products returns n terms, each a product with the previous one.
func products(p *Prover, n int) *term.Term {
	x, y := p.Var("x", 64), p.Var("y", 64)
	t := x
	for range n {
		t = p.Xor(p.Mul(t, x), y)
	}
	return t
}

// TestGatesAreBounded: a question with too many gates is abandoned, and the next one is answered.
func TestGatesAreBounded(t *testing.T) {
	p := New()
	if a := p.Check(10, p.Eq(products(p, 1000), p.Const(1, 64))); a.Result != sat.Unknown {
		t.Errorf("the answer is %v", a.Result)
	}
	if n := p.gates.used; n > maxGates+100_000 {
		t.Errorf("%d gates", n)
	}
	p.Forget()
	if a := p.Check(1000, p.Eq(p.Var("z", 8), p.Const(1, 8))); a.Result != sat.Sat {
		t.Errorf("then the answer is %v", a.Result)
	}
}

// TestUntil: after a stop, questions have no answer, and making terms panics as its callers expect.
func TestUntil(t *testing.T) {
	p := New()
	stopped := false
	p.Until(func() bool { return stopped })
	question := p.Eq(products(p, 100), p.Const(1, 64))
	stopped = true
	if a := p.Check(0, question); a.Result != sat.Unknown {
		t.Errorf("the answer is %v", a.Result)
	}
	defer func() {
		if r := recover(); r != term.ErrStopped { //nolint:errorlint // a panic's value
			t.Errorf("panic: %v", r)
		}
	}()
	products(p, 100_000)
	t.Error("terms are made as if nothing had happened")
}

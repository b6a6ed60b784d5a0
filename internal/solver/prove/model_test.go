package prove_test

import (
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// TestChains: two chains of function applications can differ if their arguments do, with a model
// that is consistent, and cannot if the arguments are equal.
func TestChains(t *testing.T) {
	p := prove.New()
	x, y := p.Var("x", 32), p.Var("y", 32)
	fx, fy := x, y
	for i := range 30 {
		fx = p.Add(p.App(fmt.Sprint("f", i), 32, fx), p.And(fx, p.Const(0xff, 32)))
		fy = p.Add(p.App(fmt.Sprint("f", i), 32, fy), p.And(fy, p.Const(0xff, 32)))
	}
	few, differ := p.ULt(x, p.Const(100, 32)), p.Ne(fx, fy)
	a := p.Check(0, few, differ)
	if a.Result != sat.Sat {
		t.Fatalf("the ends can differ, and that is %v", a.Result)
	}
	if a.Model.Eval(few) == 0 || a.Model.Eval(differ) == 0 {
		t.Error("the model does not have the ends differ")
	}
	if a := p.Check(0, p.Eq(x, y), differ); a.Result != sat.Unsat {
		t.Errorf("the ends of equal values differ: %v", a.Result)
	}
	if a := p.Check(0, p.Eq(p.App("g", 32, x), p.Const(3, 32)), p.Eq(p.App("g", 32, y), p.Const(4, 32)),
		p.Eq(p.Xor(x, y), p.Const(0, 32))); a.Result != sat.Unsat {
		t.Errorf("a function has two values: %v", a.Result)
	}
}

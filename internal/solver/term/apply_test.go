package term_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestApplyIsArith: the terms of all operations have the values that arith computes.
func TestApplyIsArith(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for op := arith.Wrap; op.Known() && !op.Floating(); op++ {
		for _, n := range []int{8, 16, 32, 64} {
			for _, typ := range []arith.Type{{Signed: false, Bits: n}, {Signed: true, Bits: n}} {
				b := term.NewBuilder()
				var args []*term.Term
				for i := range op.Arity() {
					args = append(args, b.Var(fmt.Sprint("x", i), n))
				}
				x := b.Apply(op, typ, args...)
				if want := op.Result(typ).Bits; x.Width() != want {
					t.Errorf("%v %v has %d bits, want %d", op, typ, x.Width(), want)
				}
				for range 200 {
					var operands arith.Operands
					model := &term.Model{Vars: map[string]uint64{}}
					for i := range args {
						operands[i] = typ.Wrap(random.Int64() >> random.IntN(64))
						model.Vars[args[i].Name()] = uint64(operands[i]) & term.Mask(n)
					}
					want, err := arith.Compute(op, typ, operands)
					if err != nil {
						continue
					}
					if got := model.Eval(x); got != uint64(want)&term.Mask(x.Width()) {
						t.Fatalf("%v %v of %v is %d, want %d", op, typ, operands, got, want)
					}
				}
			}
		}
	}
}

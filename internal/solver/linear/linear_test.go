package linear_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/solver/linear"
)

var unknowns = []linear.Product{"a", "b", "c"}

// TestInfeasible compares with enumeration of small values: satisfiable forms are never reported
// infeasible.
func TestInfeasible(t *testing.T) {
	said := 0
	rapid.Check(t, func(rt *rapid.T) {
		var forms []linear.Form
		for range rapid.IntRange(1, 6).Draw(rt, "forms") {
			f := linear.Form{}
			for _, p := range append(unknowns, "") {
				f.Add(p, big.NewInt(int64(rapid.IntRange(-3, 3).Draw(rt, string(p)))))
			}
			forms = append(forms, f)
		}
		infeasible := linear.Infeasible(forms)
		if infeasible {
			said++
		}
		if infeasible && satisfiable(forms) {
			rt.Fatalf("%v can hold together", forms)
		}
	})
	if said == 0 {
		t.Error("nothing is infeasible")
	}
}

// satisfiable reports whether small numbers satisfy forms.
func satisfiable(forms []linear.Form) bool {
	const most = 6
	for n := range (2*most + 1) * (2*most + 1) * (2*most + 1) {
		holds := true
		for _, f := range forms {
			sum, rest := new(big.Int).Set(value(f, "")), n
			for _, p := range unknowns {
				sum.Add(sum, new(big.Int).Mul(value(f, p), big.NewInt(int64(rest%(2*most+1)-most))))
				rest /= 2*most + 1
			}
			holds = holds && sum.Sign() <= 0
		}
		if holds {
			return true
		}
	}
	return false
}

func value(f linear.Form, p linear.Product) *big.Int {
	if c := f[p]; c != nil {
		return c
	}
	return new(big.Int)
}

// TestRounding tests a contradiction of the integers only: 2a = 2b + 1.
func TestRounding(t *testing.T) {
	one := func(c int64) linear.Form {
		return linear.Form{"a": big.NewInt(2 * c), "b": big.NewInt(-2 * c), "": big.NewInt(-c)}
	}
	if !linear.Infeasible([]linear.Form{one(1), one(-1)}) {
		t.Error("2a = 2b + 1 is said to be possible")
	}
}

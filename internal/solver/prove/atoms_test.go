package prove

import (
	"testing"

	"github.com/muster-gpu/muster/internal/solver/linear"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestManyAtoms: distinct atoms have distinct products, for any number of atoms.
func TestManyAtoms(t *testing.T) {
	a := &algebra{Prover: New(), number: map[*term.Term]rune{}}
	known := map[linear.Product]*term.Term{}
	for i := range uint64(60_000) {
		atom := a.Const(i, 32)
		p := a.atom(atom)
		if other := known[p]; other != nil {
			t.Fatalf("%v and %v are both %q", other, atom, p)
		}
		known[p] = atom
		if got := a.atoms[[]rune(string(p))[0]-1]; got != atom {
			t.Fatalf("%q is %v, want %v", p, got, atom)
		}
	}
}

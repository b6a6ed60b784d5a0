package cat

import (
	"testing"

	"github.com/muster-gpu/muster/src"
)

// TestBoundEverywhere binds names in every position of a statement that can hold an expression.
// EachBound must find them.
func TestBoundEverywhere(t *testing.T) {
	for _, text := range []string{
		"if (let inner = po in inner) = po acyclic po end",
		"let rec r = po when acyclic (let inner = r in inner)",
		"forall x in (let inner = W in inner) do empty 0 end",
		"show (let inner = po in inner) as n",
		"default W[let inner = W in inner]",
		"let f(inner) = inner acyclic f(po)",
	} {
		m, err := Load(src.NewFile("test.cat", text), Config{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, err := m.Check(NamesOf([]string{"W"}, []string{"po"})); err != nil {
			t.Errorf("%s:\n%v", text, err)
		}
	}
}

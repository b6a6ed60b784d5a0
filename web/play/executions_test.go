package play

import (
	"slices"
	"testing"
)

// TestAxiomsByName: what rejects an execution has names that tell it apart, in the list and in the
// picture, and each can be highlighted.
func TestAxiomsByName(t *testing.T) {
	const text = `
procedure coherent(order) = acyclic order | rf | co | fr as coherence end
call coherent(po-loc) as plain
call coherent(po) as strong
call coherent(po)
forall r in { rf, po } do acyclic r | r^-1 as each end
call subseteq(_, 0)
call subseteq(po, 0)`
	var e Engine
	about := Request{
		Verb: "executions", Test: shipped(t, "coRR+membar.cta-inter-cta"), State: "1:r1=1; 1:r2=0;",
		Model: &ModelRef{"own", map[string]string{"own.cat": text}},
	}
	found := ask[Executions](t, &e, about)
	want := []string{"plain.coherence", "strong.coherence", "coherence", "each", "each 2", `empty a \ b`, `empty a \ b 2`}
	if len(found.Executions) != 1 || !slices.Equal(found.Executions[0].Axioms, want) {
		t.Fatalf("%+v, want one that is rejected by %q", found, want)
	}
	pictures := map[string]string{}
	for _, axiom := range want {
		drawn(t, &e, about, found.Executions[0], axiom)
		about.Verb, about.Drawing = "draw", Drawing{Axiom: axiom, Format: "txt"}
		pictures[axiom] = ask[Drawn](t, &e, about).Picture
	}
	for _, pair := range [][2]string{{"plain.coherence", "strong.coherence"}, {"each", "each 2"}} {
		if pictures[pair[0]] == pictures[pair[1]] {
			t.Errorf("the pictures of %q are one:\n%s", pair, pictures[pair[0]])
		}
	}
}

// TestDistinct: a number that makes a name another's is not the one.
func TestDistinct(t *testing.T) {
	got := distinct([]string{"a", "a 2", "b", "a", "a", "b", "a 2"})
	if want := []string{"a", "a 2", "b", "a 3", "a 4", "b 2", "a 2 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

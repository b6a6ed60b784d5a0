package play

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/wire"
)

// TestAxiomsByName: the axioms that reject an execution have distinct names, in the list and in the
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
	about := wire.Request{
		Verb: "executions", Test: shipped(t, "coRR+membar.cta-inter-cta"), State: "1:r1=1; 1:r2=0;",
		Model: &wire.ModelRef{Name: "own", Edits: map[string]string{"own.cat": text}},
	}
	found := ask[wire.Executions](t, &e, about)
	want := []string{
		"plain.coherence", "strong.coherence", "coherence", "each", "each 2", `empty a \ b`, `empty a \ b 2`,
	}
	if len(found.Executions) != 1 || !slices.Equal(found.Executions[0].Axioms, want) {
		t.Fatalf("%+v, want one that is rejected by %q", found, want)
	}
	pictures := map[string]string{}
	for _, axiom := range want {
		drawn(t, &e, about, found.Executions[0], axiom)
		about.Verb, about.Drawing = "draw", wire.Drawing{Axiom: axiom, Format: "txt"}
		pictures[axiom] = ask[wire.Drawn](t, &e, about).Picture
	}
	for _, pair := range [][2]string{{"plain.coherence", "strong.coherence"}, {"each", "each 2"}} {
		if pictures[pair[0]] == pictures[pair[1]] {
			t.Errorf("the pictures of %q are one:\n%s", pair, pictures[pair[0]])
		}
	}
}

// TestDistinct: a number that would make a name equal to another is not used.
func TestDistinct(t *testing.T) {
	got := distinct([]string{"a", "a 2", "b", "a", "a", "b", "a 2"})
	if want := []string{"a", "a 2", "b", "a 3", "a 4", "b 2", "a 2 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTellingFirst: among the candidates of a forbidden state, the first keeps the axioms of nearly
// all machines, if possible, and is rejected by the fewest axioms.
func TestTellingFirst(t *testing.T) {
	for _, tt := range []struct{ test, state, model, axiom, path string }{
		{
			"ticket-lock+fences", "[x]=1;", "ptx", "causality-fr",
			"e:R[x]=0 –fr→ l:W[x]=1 –po→ f4:membar.gl –fence-sc→ f1:membar.gl –po→ e",
		},
		{
			"peterson+two-fences", "0:r0=0; 0:r1=0; 1:r0=0; 1:r1=0;", "sc", "sc",
			"a:W[flag0]=1 –po→ c:R[flag1]=0 –fr→ e:W[flag1]=1 –po→ g:R[flag0]=0 –fr→ a",
		},
	} {
		var e Engine
		about := wire.Request{
			Verb:  "executions",
			Test:  shipped(t, tt.test),
			State: tt.state,
			Model: &wire.ModelRef{Name: tt.model},
		}
		found := ask[wire.Executions](t, &e, about)
		if len(found.Executions) < 2 || !slices.Equal(found.Executions[0].Axioms, []string{tt.axiom}) {
			t.Errorf("%s: %+v", tt.test, found.Executions)
		}
		about.Verb, about.Drawing = "draw", wire.Drawing{Format: "txt"}
		if first := ask[wire.Drawn](t, &e, about).Violations[0]; first.Path != tt.path {
			t.Errorf("%s: the first picture shows %s", tt.test, first.Path)
		}
	}
}

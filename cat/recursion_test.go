package cat_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestRecursionsOfManyNames compares the engines on recursions in which a pair of one name reaches
// another name only after many rounds, and on permutations of their bindings. The recursions define
// relations as strong as sc and sets of all events that may follow a write.
func TestRecursionsOfManyNames(t *testing.T) {
	tests := []string{
		strings.Replace(simtest.MessagePassing["PTX"], "ld.acquire", "ld.relaxed", 1),
		`PTX sb
{ x=0; y=0; }
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0 ;
 st.relaxed.gpu.u32 [x],1 | st.relaxed.gpu.u32 [y],1 ;
 ld.relaxed.gpu.u32 r0,[y] | ld.relaxed.gpu.u32 r0,[x] ;
exists (0:r0=0 /\ 1:r0=0)`,
	}
	kinds := []struct{ from, on, check string }{
		{"po | rf | co | fr", "(%s ; %s)", "irreflexive r0"},
		{"po | rf | co | fr", "%s & %s", "acyclic r0"},
		{"(po & (W * W))", "(%s ; (po | rf | fr) ; %s?)", "irreflexive r0 ; po"},
		{"(W \\ IW)", "range([%s] ; po) | domain(rf ; [%s])", "acyclic (po & (r0 * r0)) | rf | co | fr"},
		{"(W & range(po))", "range([%s] ; rf ; po) | %s", "empty R & r0"},
	}
	rapid.Check(t, func(rt *rapid.T) {
		k := rapid.SampledFrom(kinds).Draw(rt, "kind")
		model := "acyclic po-loc | rf | co | fr\n" + draw.Recursion(rt, k.from, k.on) + k.check + "\n"
		m := simtest.NewModel(t, model)
		if _, err := m.Check(sim.Vocabulary()); err != nil {
			rt.Fatalf("%v\n%s", err, model)
		}
		for _, text := range tests {
			simtest.CompareEngines(t, text, sim.Defaults(), model, m)
		}
	})
}

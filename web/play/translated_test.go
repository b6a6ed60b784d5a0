package play

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/wire"
)

// renamed is a test in CUDA C++ whose translation has another name for a variable, and so another
// order of the observables.
const renamed = `CUDA renamed
{ x=0; y=0; z=0; }
P0@cta 0,gpu 0 (cuda::atomic<int>* x, cuda::atomic<int>* y) { y->store(1, cuda::memory_order_relaxed); }
P1@cta 1,gpu 0 (cuda::atomic<int>* z, cuda::atomic<int>* y) {
  int s = 5;
  int x = 7;
  x = z->load(cuda::memory_order_relaxed);
  s = y->load(cuda::memory_order_relaxed) + 3;
}
exists (1:x=0 /\ 1:s=3)
`

// TestTranslated: answers of PTX models about a test in CUDA C++ are in terms of the test, beside
// those of other models: states, executions, pictures.
func TestTranslated(t *testing.T) {
	var e Engine
	models := []wire.ModelRef{{Name: "rc11-scoped"}, {Name: "ptx"}}
	ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: renamed, Models: models})
	if len(ran.Diagnostics) > 0 || len(ran.States) != 2 || ran.Differing > 0 {
		t.Fatalf("%+v", ran)
	}
	for _, s := range ran.States {
		if *s.Counts[0] != 1 || *s.Counts[1] != 1 || s.Values[1].Name != "1:x" || s.Values[1].Value != "0" {
			t.Errorf("%+v", s)
		}
		for _, m := range models {
			r := wire.Request{Verb: "executions", Test: renamed, Model: &m, State: s.Key}
			if got := ask[wire.Executions](t, &e, r); got.Allowed != 1 || len(got.Executions) != 1 ||
				!slices.Contains(got.Executions[0].States, s.Key) {
				t.Errorf("%s, %s: %+v", m.Name, s.Key, got)
			}
			r.Verb = "draw"
			if d := ask[wire.Drawn](t, &e, r); !strings.Contains(d.Picture, "line 8") {
				t.Errorf("%s: the picture says nothing of line 8: %s", m.Name, d.Picture)
			}
		}
	}
	none := strings.Replace(renamed, "int x = 7;", "float f = 1;", 1)
	if ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: none, Models: models}); len(ran.Diagnostics) == 0 {
		t.Error("a test that is none has no diagnostics")
	}
}

package sim_test

import (
	"context"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestExplanationsOrderEvents: an explanation goes by relations that order events, never by one
// that only says where they are, such as that of threads on one GPU: models write scopes into
// intersections.
func TestExplanationsOrderEvents(t *testing.T) {
	steps, models := 0, map[string]*cat.Model{}
	for i, f := range simtest.Corpus(t) {
		if i%sample.Of(1, 16) != 0 {
			continue
		}
		test := simtest.Load(t, f.Text, sim.Defaults())
		// the paper's has no such intersections
		if test.Format.Model == "" || test.Format.Model == "ptx-asplos15" {
			continue
		}
		if models[test.Format.Model] == nil {
			models[test.Format.Model] = simtest.LoadModel(t, test.Format.Model)
		}
		x, err := test.Explain(context.Background(), models[test.Format.Model])
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range x.Outcomes {
			for _, r := range o.Reasons {
				for _, s := range r.Steps {
					steps++
					if sim.Vocabulary().Get(s.Label).Restricts {
						t.Errorf("%s: %s: a step is %s", f.Name, r.Name, s.Label)
					}
				}
			}
		}
	}
	if steps < sample.Of(1000, 50) {
		t.Errorf("only %d steps were looked at", steps)
	}
}

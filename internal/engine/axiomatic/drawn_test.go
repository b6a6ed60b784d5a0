package axiomatic_test

import (
	"context"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestDrawn: what interleavings that are drawn end in, the model allows, as the fast engine and the learning one find; and much of what it allows
// is drawn.
func TestDrawn(t *testing.T) {
	found, missed := 0, 0
	kinds := func(rt *rapid.T) string {
		return rapid.SampledFrom([]func(*rapid.T) string{draw.Meeting, draw.Sums, draw.Counters}).Draw(rt, "kind")(rt)
	}
	sample.Checks(t, 2, 100)
	withDrawn(t, sim.Verdict, kinds, mostListed, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		drawn := d.engine(func(*axiomatic.Query) {})
		for s := range d.test.Program.Structures(ctx) {
			if drawn.Draw(engine.NewBudget(ctx.Err), s) {
				break
			}
		}
		r, err := d.test.Run(ctx, d.model)
		switch {
		case err != nil || r.Limit != nil && !sim.IsBound(r.Limit):
		case len(drawn.States) > 0 && r.Outcome() != sim.Allowed && r.Outcome() != sim.Undefined:
			rt.Fatalf("under %s an interleaving ends in %v, and the outcome is %v\n%s", d.name, drawn.States[0].Values(), r.Outcome(), d.text)
		case drawn.Race.Evidence != nil && r.Outcome() != sim.Undefined:
			rt.Fatalf("under %s an interleaving races, and the outcome is %v\n%s", d.name, r.Outcome(), d.text)
		case len(drawn.States) > 0:
			found++
		case r.Outcome() == sim.Allowed:
			missed++
		}
	})
	if t.Logf("what is asked for was drawn of %d tests, and not of %d that allow it", found, missed); found == 0 || found < missed {
		t.Errorf("what is asked for was drawn of %d tests only, and not of %d that allow it", found, missed)
	}
}

// chosen returns what a witness chooses where the model of a test asks for a choice.
func chosen(d *drawnTest, w *engine.Witness) (choices []cat.Choice) {
	for i, c := range d.plan.Choices {
		if d.model.Chooses(c.Name) {
			choices = append(choices, cat.ChooseRel(c.Name, w.Choices[i]))
		}
	}
	return choices
}

// TestMisses: what is drawn to explain why something is forbidden are candidates that the model rejects, by the axioms that are told.
func TestMisses(t *testing.T) {
	misses := 0
	rejections := map[string]int{}
	kinds := func(rt *rapid.T) string {
		return rapid.SampledFrom([]func(*rapid.T) string{draw.Meeting, draw.Meeting, draw.Sums, draw.Counters}).Draw(rt, "kind")(rt)
	}
	sample.Checks(t, 2, 20)
	withDrawn(t, sim.Verdict, kinds, mostListed, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		for s := range d.test.Program.Structures(ctx) {
			for _, m := range axiomatic.Misses(engine.NewBudget(ctx.Err), bounds.NewProgram(d.plan), simtest.AxiomaticQuery(d.test), s) {
				told, axioms := map[string]bool{}, map[string]bool{}
				for _, c := range m.Failing {
					told[d.plan.Checks[c].Name] = true
				}
				w := m.Witness
				failures, err := d.model.Failures(w.Execution, chosen(d, w))
				if err != nil {
					rt.Fatalf("under %s: %v\n%s", d.name, err, d.text)
				}
				for _, f := range failures {
					axioms[f.Name] = true
					rejections[f.Name]++
				}
				if !maps.Equal(told, axioms) || len(told) == 0 {
					rt.Fatalf("under %s a miss is rejected by %v, and it is told: by %v\n%s", d.name, axioms, told, d.text)
				}
				misses++
			}
		}
	})
	if t.Logf("%d misses, by %v", misses, rejections); misses == 0 {
		t.Error("hardly anything was drawn")
	}
}

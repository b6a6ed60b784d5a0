package axiomatic_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/sampling"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestDrawn checks that the model allows the final states of random interleavings, according to
// both engines, and that interleavings reach much of what the model allows.
func TestDrawn(t *testing.T) {
	found, missed := 0, 0
	kinds := func(rt *rapid.T) string {
		return rapid.SampledFrom([]func(*rapid.T) string{draw.Meeting, draw.Sums, draw.Counters}).Draw(rt, "kind")(rt)
	}
	sample.Checks(t, 2, 100)
	withDrawn(t, sim.Verdict, kinds, mostListed, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		e, budget := sampling.New(d.plan, d.sampling()), engine.NewBudget(ctx.Err)
		for s, err := range d.test.Program.Structures(ctx) {
			if err != nil {
				return // the time limit was reached
			}
			if far, _ := e.Explore(budget, s); far.Answered() {
				break
			}
		}
		drawn := e.Answer()
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

// chosen returns the relations that a witness has for the choices of the model.
func chosen(d *drawnTest, w *engine.Witness) (choices []cat.Choice) {
	for i, c := range d.plan.Choices {
		if d.model.Chooses(c.Name) {
			choices = append(choices, cat.ChooseRel(c.Name, w.Choices[i]))
		}
	}
	return choices
}

// sampling returns the query of the test for the sampling engine.
func (d *drawnTest) sampling() *sampling.Query {
	q := simtest.AxiomaticQuery(d.test)
	return &sampling.Query{Observe: q.Observe, Keep: q.Keep, Asks: q.Asks}
}

// TestSlips checks that each execution drawn with a slip satisfies the condition and is rejected by
// the model. If checks are guarded, the checks that fail are those that may.
func TestSlips(t *testing.T) {
	slips, by := 0, map[string]int{}
	kinds := func(rt *rapid.T) string {
		return rapid.SampledFrom([]func(*rapid.T) string{draw.Meeting, draw.Meeting, draw.Sums, draw.Counters}).Draw(rt, "kind")(rt)
	}
	sample.Checks(t, 2, 20)
	withDrawn(t, sim.Verdict, kinds, mostListed, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		q, checks := d.sampling(), d.plan.Checks
		guard := rapid.Map(rapid.IntRange(-1, 2), func(g int) plan.Guard { return plan.Guard(g) })
		q.Guards = plan.Guards(rapid.SliceOfN(guard, len(checks), len(checks)).Draw(rt, "guards"))
		q.Visit = func(end []event.Value, group int, w *engine.Witness) bool {
			failures, err := d.model.Failures(w.Execution, chosen(d, w))
			if err != nil || len(failures) == 0 || !final.Holds(q.Asks, end) {
				rt.Fatalf("under %s a slip ends in %v and is rejected by %v, %v\n%s", d.name, end, failures, err, d.text)
			}
			for _, f := range failures {
				may := false
				for i, g := range q.Guards {
					may = may || checks[i].Name == f.Name && (g == plan.Disabled || g > 0 && int(g) == group)
				}
				if !may {
					rt.Fatalf("under %s, with guards %v, a slip fails %s, and group %d may fail\n%s", d.name, q.Guards, f.Name, group, d.text)
				}
				by[f.Name]++
			}
			slips++
			return true
		}
		drawn := sampling.New(d.plan, q)
		for s, err := range d.test.Program.Structures(ctx) {
			if err != nil {
				return // the time limit was reached
			}
			if far, err := drawn.Explore(engine.NewBudget(ctx.Err), s); far == engine.Decided || err != nil {
				rt.Fatalf("%v, %v\n%s", far, err, d.text)
			}
		}
	})
	if t.Logf("%d slips, rejected by %v", slips, by); slips == 0 {
		t.Error("no slip was found")
	}
}

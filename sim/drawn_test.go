package sim_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/sim"
)

// TestDrawn: what interleavings that are drawn end in, the model allows, as the fast engine and the learning one find; and much of what it allows
// is drawn.
func TestDrawn(t *testing.T) {
	found, missed := 0, 0
	draw := func(rt *rapid.T) string {
		return rapid.SampledFrom([]func(*rapid.T) string{drawMeeting, drawSums, drawCounters}).Draw(rt, "kind")(rt)
	}
	multiplyChecks(t, 2, 100)
	withDrawn(t, sim.Verdict, draw, mostListed, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
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

// TestMisses: what is drawn to explain why something is forbidden are candidates that the model rejects, by the axioms that are told.
func TestMisses(t *testing.T) {
	misses := 0
	rejections := map[string]int{}
	draw := func(rt *rapid.T) string {
		return rapid.SampledFrom([]func(*rapid.T) string{drawMeeting, drawMeeting, drawSums, drawCounters}).Draw(rt, "kind")(rt)
	}
	multiplyChecks(t, 2, 20)
	withDrawn(t, sim.Verdict, draw, mostListed, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		for s := range d.test.Program.Structures(ctx) {
			for _, m := range axiomatic.Misses(engine.NewBudget(ctx.Err), bounds.NewProgram(d.plan), sim.LearningQuery(d.test), s) {
				told, axioms := map[string]bool{}, map[string]bool{}
				for _, c := range m.Failing {
					told[d.plan.Checks[c].Name] = true
				}
				w := sim.WitnessOf(d.model, d.plan, m.Witness)
				failures, err := d.model.Failures(w.Execution, w.Choices)
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

// TestExplainWhatIsComputed: why threads that add up what they read at barriers cannot get it wrong is explained by a thread that does not wait,
// or that reads what has been overwritten, though nobody can list what reads may return.
func TestExplainWhatIsComputed(t *testing.T) {
	for name, threads := range map[string]int{"scan": 8, "tree-sum": 16} {
		k, _ := bench.KernelNamed(name)
		test := load(t, k.Make(threads, 1), sim.Defaults())
		x, err := test.Explain(t.Context(), everyModel(t, "PTX")["ptx"])
		if err != nil || x.Limit != nil {
			t.Fatal(err, x.Limit)
		}
		by := map[string]bool{}
		for i := range x.Outcomes {
			s := &x.Outcomes[i]
			if s.Outcome() != sim.Forbidden {
				t.Errorf("%s is %v", s.State.Format(x.Refs), s.Outcome())
			}
			for _, r := range s.Reasons {
				by[r.Name] = true
			}
		}
		if !by["causality-fr"] || len(x.Outcomes) < 3 || !x.Partial {
			t.Errorf("%d states are explained by %v", len(x.Outcomes), by)
		}
	}
}

// TestExplainWhatGoesWrong: an execution that is drawn explains how a scan in one buffer goes wrong; that there may be other states is told.
func TestExplainWhatGoesWrong(t *testing.T) {
	k, _ := bench.KernelNamed("scan")
	test := load(t, strings.ReplaceAll(k.Make(16, 1), "[b", "[a"), sim.Defaults())
	x, err := test.Explain(t.Context(), everyModel(t, "PTX")["ptx"])
	if err != nil || x.Limit != nil {
		t.Fatal(err, x.Limit)
	}
	if len(x.Outcomes) != 1 || x.Outcomes[0].Outcome() != sim.Allowed || len(x.Outcomes[0].Flags) == 0 || !x.Alone {
		t.Errorf("%d states, alone: %v", len(x.Outcomes), x.Alone)
	}
}

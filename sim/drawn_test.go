package sim_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/bounds"
	"github.com/muster-gpu/muster/internal/learn"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestDrawn: what interleavings that are drawn end in, the model allows, as the fast engine and the learning one find; and much of what it allows
// is drawn.
func TestDrawn(t *testing.T) {
	all := everyModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	config := atRandom()
	config.Effort = solve.Quick
	found, missed := 0, 0
	multiplyChecks(t, 2, 100)
	rapid.Check(t, func(rt *rapid.T) {
		draw := rapid.SampledFrom([]func(*rapid.T) string{drawMeeting, drawSums, drawCounters}).Draw(rt, "kind")
		text := draw(rt)
		test, err := sim.Load(src.NewFile("test.litmus", text), config)
		if err != nil {
			return
		}
		name := rapid.SampledFrom(names).Draw(rt, "model")
		p, err := all[name].Compile(sim.Vocabulary())
		if err != nil || test.Program.Combinations() > mostListed {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		drawn := learn.New(bounds.NewProgram(p), sim.LearningQuery(test))
		for s := range test.Program.Structures(ctx) {
			if !drawn.Draw(ctx, s) {
				break
			}
		}
		r, err := test.Run(ctx, all[name])
		switch {
		case err != nil || r.Limit != nil && !sim.IsBound(r.Limit):
		case len(drawn.States) > 0 && r.Outcome() != sim.Allowed && r.Outcome() != sim.Undefined:
			rt.Fatalf("under %s an interleaving ends in %v, and the outcome is %v\n%s", name, drawn.States[0].Values, r.Outcome(), text)
		case drawn.Race != nil && r.Outcome() != sim.Undefined:
			rt.Fatalf("under %s an interleaving races, and the outcome is %v\n%s", name, r.Outcome(), text)
		case len(drawn.States) > 0:
			found++
		case r.Outcome() == sim.Allowed:
			missed++
		}
	})
	if t.Logf("what is asked for was drawn of %d tests, and not of %d that allow it", found, missed); found < missed {
		t.Errorf("what is asked for was drawn of %d tests only, and not of %d that allow it", found, missed)
	}
}

package sim_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/learn"
	"github.com/muster-gpu/muster/internal/solve"
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
	withDrawn(t, solve.Quick, draw, mostListed, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		drawn := d.engine(func(*learn.Query) {})
		for s := range d.test.Program.Structures(ctx) {
			if !drawn.Draw(ctx, s) {
				break
			}
		}
		r, err := d.test.Run(ctx, d.model)
		switch {
		case err != nil || r.Limit != nil && !sim.IsBound(r.Limit):
		case len(drawn.States) > 0 && r.Outcome() != sim.Allowed && r.Outcome() != sim.Undefined:
			rt.Fatalf("under %s an interleaving ends in %v, and the outcome is %v\n%s", d.name, drawn.States[0].Values, r.Outcome(), d.text)
		case drawn.Race != nil && r.Outcome() != sim.Undefined:
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

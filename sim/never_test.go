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

// TestNeverRead: that the learning engine leaves out what reads never read makes no difference to what it finds. It is compared with an
// engine that does not, on threads that meet at barriers, in many models.
func TestNeverRead(t *testing.T) {
	all := everyModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	config := atRandom()
	config.Effort = solve.States
	compared := 0
	multiplyChecks(t, 2, 100)
	rapid.Check(t, func(rt *rapid.T) {
		text := drawMeeting(rt)
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
		var found [2]*learn.Engine
		for i, after := range []int{-1, 1 << 30} {
			q := sim.LearningQuery(test)
			q.SiftAfter = after
			found[i] = learn.New(bounds.NewProgram(p), q)
			if !exploreAll(ctx, rt, found[i], test) {
				return
			}
		}
		if with, without := answered(found[0]), answered(found[1]); with != without {
			rt.Fatalf("under %s: where it is asked what reads never read the learning engine says\n%s\nelse\n%s\n%s", name, with, without, text)
		}
		compared++
	})
	if t.Logf("%d tests were compared", compared); compared == 0 {
		t.Error("no test was compared")
	}
}

package axiomatic_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestIdles checks that the answer does not change when structures with a redundant idle round are
// left out, both if flags are asked for and if only undefined behaviour is.
func TestIdles(t *testing.T) {
	models := map[string]map[string]*cat.Model{}
	for _, arch := range []string{"PTX", "OPENCL", "C"} {
		models[arch] = simtest.EveryModel(t, arch)
	}
	config := simtest.AtRandom()
	needed, needless := 0, 0
	sample.Checks(t, 4, 200)
	rapid.Check(t, func(rt *rapid.T) {
		arch := rapid.SampledFrom([]string{"PTX", "OPENCL", "C"}).Draw(rt, "language")
		var text string
		if arch == "PTX" {
			text, _ = draw.Any(rt)
		} else {
			text = draw.Waiting(rt, arch)
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(models[arch]))).Draw(rt, "model")
		p, err := models[arch][name].Compile(sim.Vocabulary())
		if err != nil {
			return
		}
		c := config
		c.Want = rapid.SampledFrom([]sim.Want{sim.States, sim.Verdict}).Draw(rt, "effort")
		test, err := sim.Load(src.NewFile("test.litmus", text), c)
		if err != nil || test.Program.Combinations() > mostListed/4 {
			return
		}
		a, b := compareIdles(rt, name+"\n"+text, test, p, c.Want)
		needed, needless = needed+a, needless+b
	})
	if t.Logf("%d structures have an idle round that is needed, %d one that is not", needed, needless); needed == 0 || needless < needed {
		t.Errorf("%d structures have an idle round that is needed, %d one that is not", needed, needless)
	}
}

// compareIdles checks that the answer is the same with and without the structures that have a
// redundant idle round. It counts the structures whose idle rounds are needed, and those whose idle
// round is redundant.
func compareIdles(t *rapid.T, about string, test *sim.Test, p *plan.Plan, effort sim.Want) (needed, needless int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second/4)
	defer cancel()
	all, some := axiomatic.New(p, simtest.AxiomaticQuery(test)), axiomatic.New(p, simtest.AxiomaticQuery(test))
	inVain, known := some.Idles(engine.NewBudget(ctx.Err), test.Program.Family(ctx)), true
	for s, err := range test.Program.Structures(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		far, err := all.Explore(engine.NewBudget(ctx.Err), s)
		known = known && far.Answered() && err == nil
		if slices.ContainsFunc(s.Paths, inVain) {
			needless++
			continue
		}
		if slices.ContainsFunc(s.Paths, (*event.Path).Idles) {
			needed++
		}
		far, err = some.Explore(engine.NewBudget(ctx.Err), s)
		known = known && far.Answered() && err == nil
	}
	if effort == sim.Verdict {
		if len(all.States) > 0 && len(some.States) > 0 {
			return needed, needless // the query asks for nothing else
		}
		// the query does not ask for executions that never end
		all.Hang, some.Hang = engine.Exhibit{}, engine.Exhibit{}
	}
	if got, want := answered(some), answered(all); known && got != want {
		t.Fatalf("without needless idle rounds the learning engine says\n%s\nwith them\n%s\nunder %s", got, want, about)
	}
	return needed, needless
}

package axiomatic_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// mostListed bounds the combinations of paths that the tests here list.
const mostListed = 400

// compareFamily checks that the learning engine gives the same answer for the structures of a test
// one by one, for unions of all structures of a kind, and for the family. It reports which of the
// last two it compared.
func compareFamily(t rapid.TB, text string, test *sim.Test, p *plan.Plan) (united, family bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if test.Program.Combinations() > mostListed {
		return false, false
	}
	listed := axiomatic.New(p, simtest.AxiomaticQuery(test))
	if !exploreAll(ctx, t, listed, test) {
		return false, false
	}
	same := func(how string, explore func(*axiomatic.Engine) (engine.Extent, error), q *axiomatic.Query) bool {
		t.Helper()
		e := axiomatic.New(p, q)
		switch far, err := explore(e); {
		case ctx.Err() != nil || err == nil && !far.Answered():
			return false
		case err != nil:
			t.Fatalf("%v\n%s", err, text)
		}
		if got, want := answered(e), answered(listed); got != want {
			t.Fatalf("of %s the learning engine says\n%s\nof its structures\n%s\n%s", how, got, want, text)
		}
		return true
	}
	united = same("unions", func(e *axiomatic.Engine) (engine.Extent, error) { return exploreUnited(ctx, e, test) }, simtest.AxiomaticQuery(test))
	f := test.Program.Family(ctx)
	if f == nil {
		return united, false
	}
	q := simtest.AxiomaticQuery(test)
	observed := map[int]bool{} // threads with an observable register
	for _, ref := range test.Observables() {
		observed[ref.Thread] = true
	}
	for s := range test.Program.Structures(ctx) {
		q.Classes = symmetry.Of(s, func(u, v int) bool { return !observed[u] && !observed[v] })
		break
	}
	return united, same("the family", func(e *axiomatic.Engine) (far engine.Extent, err error) {
		for _, of := range []axiomatic.Fate{axiomatic.Ending, axiomatic.Endless, axiomatic.CutOff} {
			if far, err = e.ExploreFamily(engine.NewBudget(ctx.Err), f, of); !far.Answered() || err != nil {
				break
			}
		}
		return far, err
	}, q)
}

// exploreUnited explores three unions of a test's structures: those that terminate, those that
// never end, and those that are cut off.
func exploreUnited(ctx context.Context, e *axiomatic.Engine, test *sim.Test) (far engine.Extent, err error) {
	kinds := map[[2]bool][]*event.Structure{}
	for s := range test.Program.Structures(ctx) {
		kind := [2]bool{s.Truncated, s.Stuck}
		kinds[kind] = append(kinds[kind], s)
	}
	for _, all := range kinds {
		if far, err = e.Explore(engine.NewBudget(ctx.Err), all...); !far.Answered() || err != nil {
			break
		}
	}
	return far, err
}

// exploreAll explores the structures of a test one by one. It returns false if the engine does not
// answer, or the time limit was reached.
func exploreAll(ctx context.Context, t rapid.TB, e *axiomatic.Engine, test *sim.Test) bool {
	for s, err := range test.Program.Structures(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if far, err := e.Explore(engine.NewBudget(ctx.Err), s); !far.Answered() || err != nil {
			return false
		}
	}
	return true
}

// answered returns the answer of an engine as text, without executions.
func answered(e *axiomatic.Engine) string {
	states := map[string]bool{}
	for _, s := range e.States {
		states[fmt.Sprint(s.Values())] = true
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(states)), e.Raised, e.Hang.Evidence != nil, e.Truncated > 0)
}

// TestFamily checks that the learning engine gives the same answer for a family and for its
// structures.
func TestFamily(t *testing.T) {
	config := sim.Defaults()
	config.Want = sim.States
	compared := 0
	for _, file := range simtest.Corpus(t) {
		test, err := sim.Load(file, config)
		if err != nil {
			t.Fatal(err)
		}
		p, err := simtest.LoadModel(t, test.Format.Model).Compile(sim.Vocabulary())
		if err != nil {
			continue
		}
		if _, family := compareFamily(t, file.Name, test, p); family {
			compared++
		}
	}
	if compared < 100 {
		t.Errorf("%d families were compared", compared)
	}
}

// TestFamilyOnRandomTests is TestFamily on random programs and models.
func TestFamilyOnRandomTests(t *testing.T) {
	compareFamilies(t, func(t *rapid.T) string {
		text, _ := draw.Any(t)
		return text
	})
}

// TestFamilyAtBarriers is TestFamily on random programs whose threads meet at barriers.
func TestFamilyAtBarriers(t *testing.T) { compareFamilies(t, draw.Meeting) }

// compareFamilies runs compareFamily on random programs.
func compareFamilies(t *testing.T, draw func(*rapid.T) string) {
	all := simtest.EveryModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	config := simtest.AtRandom()
	config.Want = sim.States
	unions, families := 0, 0
	sample.Checks(t, 8, 200)
	rapid.Check(t, func(rt *rapid.T) {
		text := draw(rt)
		test, err := sim.Load(src.NewFile("test.litmus", text), config)
		if err != nil {
			return
		}
		p, err := all[rapid.SampledFrom(names).Draw(rt, "model")].Compile(sim.Vocabulary())
		if err != nil {
			return
		}
		united, family := compareFamily(rt, text, test, p)
		if united {
			unions++
		}
		if family {
			families++
		}
	})
	if t.Logf("%d programs were compared by unions, %d as families", unions, families); unions == 0 || families == 0 {
		t.Error("none were compared")
	}
}

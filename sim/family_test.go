package sim_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/bounds"
	"github.com/muster-gpu/muster/internal/learn"
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// mostListed is how many combinations of paths the tests here list.
const mostListed = 400

// compareFamily demands that the learning engine finds the same in the structures of a test, asked about one after the other, and in
// them as a family. It reports that there was something to compare.
func compareFamily(t rapid.TB, text string, test *sim.Test, p *plan.Plan) bool {
	t.Helper()
	f := test.Program.Family()
	if n := test.Program.Combinations(); f == nil || n < 2 || n > mostListed {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	listed := learn.New(bounds.NewProgram(p), sim.LearningQuery(test))
	if !exploreAll(ctx, t, listed, test) {
		return false
	}
	q := sim.LearningQuery(test)
	for s := range test.Program.Structures(ctx) {
		q.Classes = sim.Classes(test, s)
		break
	}
	together := learn.New(bounds.NewProgram(p), q)
	for _, of := range []learn.Extent{learn.Ending, learn.Endless, learn.CutOff} {
		_, err := together.ExploreFamily(ctx, f, of)
		if errors.Is(err, learn.ErrBeyond) || ctx.Err() != nil {
			return false
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	if got, want := answered(together), answered(listed); got != want {
		t.Fatalf("of the family the learning engine says\n%s\nof its structures\n%s\n%s", got, want, text)
	}
	return true
}

// exploreAll has an engine explore the structures of a test, one after the other. It reports that it knows enough, and had the time.
func exploreAll(ctx context.Context, t rapid.TB, e *learn.Engine, test *sim.Test) bool {
	for s, err := range test.Program.Structures(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Explore(ctx, s); err != nil {
			return false
		}
	}
	return true
}

// answered is what an engine has found, but for executions.
func answered(e *learn.Engine) string {
	states := map[string]bool{}
	for _, s := range e.States {
		states[fmt.Sprint(s.Values)] = true
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(states)), e.Raised, e.Hang != nil, e.Truncated > 0)
}

// TestFamily: what the learning engine says of a family is what it says of its structures.
func TestFamily(t *testing.T) {
	config := sim.Defaults()
	config.Effort = solve.States
	compared := 0
	for _, file := range corpus(t) {
		test, err := sim.Load(file, config)
		if err != nil {
			t.Fatal(err)
		}
		p, err := loadModel(t, test.Format.Model).Compile(sim.Vocabulary())
		if err == nil && compareFamily(t, file.Name, test, p) {
			compared++
		}
	}
	if compared < 100 {
		t.Errorf("%d families were compared", compared)
	}
}

// TestFamilyOnRandomTests is TestFamily on random programs and models.
func TestFamilyOnRandomTests(t *testing.T) {
	all := everyModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	config := atRandom()
	config.Effort = solve.States
	compared := 0
	multiplyChecks(t, 8, 200)
	rapid.Check(t, func(rt *rapid.T) {
		text, _ := drawAny(rt)
		test, err := sim.Load(src.NewFile("test.litmus", text), config)
		if err != nil {
			return
		}
		p, err := all[rapid.SampledFrom(names).Draw(rt, "model")].Compile(sim.Vocabulary())
		if err == nil && compareFamily(rt, text, test, p) {
			compared++
		}
	})
	if t.Logf("%d families were compared", compared); compared == 0 {
		t.Error("none were compared")
	}
}

// TestWhatPollsAmongMany: what writes in a loop that was cut off is found though its combinations of paths come after millions of others.
func TestWhatPollsAmongMany(t *testing.T) {
	columns := [][]string{{"L0: atom.acquire.gpu.exch.b32 r0,[c],1", "setp.ne.u32 p,r0,0", "@p bra L0"}}
	for i := range 20 {
		columns = append(columns, []string{fmt.Sprintf("L%d: ld.acquire.gpu.u32 r0,[x]", i+1), "setp.eq.u32 p,r0,0", fmt.Sprintf("@p bra L%d", i+1)})
	}
	if got := load(t, inColumns(columns), sim.Defaults()).Polls(t.Context()); got != "atom.acquire.gpu.exch.b32" {
		t.Errorf("%q", got)
	}
}

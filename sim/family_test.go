package sim_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// mostListed is how many combinations of paths the tests here list.
const mostListed = 400

// compareFamily demands that the learning engine finds the same in the structures of a test, asked about one after the other, in
// all of one kind together, and in them as a family. It reports which of the two there was to compare.
func compareFamily(t rapid.TB, text string, test *sim.Test, p *plan.Plan) (united, family bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if test.Program.Combinations() > mostListed {
		return false, false
	}
	listed := axiomatic.New(bounds.NewProgram(p), sim.LearningQuery(test))
	if !exploreAll(ctx, t, listed, test) {
		return false, false
	}
	same := func(how string, explore func(*axiomatic.Engine) (engine.Extent, error), q *axiomatic.Query) bool {
		t.Helper()
		e := axiomatic.New(bounds.NewProgram(p), q)
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
	united = same("unions", func(e *axiomatic.Engine) (engine.Extent, error) { return exploreUnited(ctx, e, test) }, sim.LearningQuery(test))
	f := test.Program.Family(ctx)
	if f == nil {
		return united, false
	}
	q := sim.LearningQuery(test)
	for s := range test.Program.Structures(ctx) {
		q.Classes = sim.Classes(test, s)
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

// exploreUnited has an engine explore all structures of a test that end, all that never end, and all that are cut off.
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

// exploreAll has an engine explore the structures of a test, one after the other. It reports that it knows enough, and had the time.
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

// answered is what an engine has found, but for executions.
func answered(e *axiomatic.Engine) string {
	states := map[string]bool{}
	for _, s := range e.States {
		states[fmt.Sprint(s.Values())] = true
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(states)), e.Raised, e.Hang.Evidence != nil, e.Truncated > 0)
}

// TestFamily: what the learning engine says of a family is what it says of its structures.
func TestFamily(t *testing.T) {
	config := sim.Defaults()
	config.Want = sim.States
	compared := 0
	for _, file := range corpus(t) {
		test, err := sim.Load(file, config)
		if err != nil {
			t.Fatal(err)
		}
		p, err := loadModel(t, test.Format.Model).Compile(sim.Vocabulary())
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
		text, _ := drawAny(t)
		return text
	})
}

// TestFamilyAtBarriers is TestFamily on random programs whose threads meet at barriers.
func TestFamilyAtBarriers(t *testing.T) { compareFamilies(t, drawMeeting) }

// compareFamilies compares the families of random programs.
func compareFamilies(t *testing.T, draw func(*rapid.T) string) {
	all := everyModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	config := atRandom()
	config.Want = sim.States
	unions, families := 0, 0
	multiplyChecks(t, 8, 200)
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

// drawMeeting draws threads of one to three CTAs that spin, branch and meet.
func drawMeeting(t *rapid.T) string {
	steps := []string{
		"ld.relaxed.gpu.u32 r%d,[x]", "ld.acquire.gpu.u32 r%d,[x]", "ld.weak.u32 r%d,[y]", "ld.relaxed.gpu.u32 r%d,[y]",
		"st.relaxed.gpu.u32 [x],%d", "st.release.gpu.u32 [x],1 // %d", "st.weak.u32 [y],%d", "atom.acq_rel.gpu.add.u32 r%d,[c],1",
		"bar.sync 0 // %d", "bar.sync 0 // %d", "bar.sync 1,64 // %d", "bar.sync 1,64 // %d", "bar.arrive 1,64 // %d", "setp.eq.u32 p,r%d,0;bar.red.popc.u32 r2,2,p",
	}
	step := func(i int) []string {
		text, _, _ := strings.Cut(fmt.Sprintf(rapid.SampledFrom(steps).Draw(t, "step"), i%3), " //")
		return strings.Split(text, ";")
	}
	var columns [][]string
	var ctas []int
	for i := range rapid.IntRange(2, 4).Draw(t, "threads") {
		var column []string
		for j := range rapid.IntRange(1, 3).Draw(t, "length") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				at := fmt.Sprintf("L%d%d", i, j)
				column = append(column, at+": ld.acquire.gpu.u32 r0,[x]", "setp.eq.u32 p,r0,0", "@p bra "+at)
			case 1:
				at := fmt.Sprintf("E%d%d", i, j)
				column = append(append(append(column, "setp.eq.u32 p,r0,0", "@p bra "+at), step(j)...), at+":")
			default:
				column = append(column, step(j)...)
			}
		}
		columns, ctas = append(columns, column), append(ctas, rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "cta"))
	}
	return inColumns(columns, ctas...)
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

package axiomatic_test

import (
	"context"
	"errors"
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

// withDrawn calls do with random programs with at most most combinations of paths, each under a
// random compiled model.
func withDrawn(t *testing.T, effort sim.Want, draw func(*rapid.T) string, most int, do func(ctx context.Context, rt *rapid.T, d *drawnTest)) {
	t.Helper()
	withDrawnUnder(t, simtest.EveryModel(t, "PTX"), effort, draw, most, do)
}

// withDrawnUnder is withDrawn for the given models.
func withDrawnUnder(t *testing.T, all map[string]*cat.Model, effort sim.Want, draw func(*rapid.T) string, most int, do func(ctx context.Context, rt *rapid.T, d *drawnTest)) {
	t.Helper()
	names := slices.Sorted(maps.Keys(all))
	config := simtest.AtRandom()
	config.Want = effort
	rapid.Check(t, func(rt *rapid.T) {
		d := &drawnTest{text: draw(rt)}
		var err error
		if d.test, err = sim.Load(src.NewFile("test.litmus", d.text), config); err != nil {
			rt.Fatalf("%v\n%s", err, d.text)
		}
		d.name = rapid.SampledFrom(names).Draw(rt, "model")
		d.model = all[d.name]
		if d.plan, err = d.model.Compile(sim.Vocabulary()); err != nil || d.test.Program.Combinations() > most {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		do(ctx, rt, d)
	})
}

// drawnTest is a random program and a model.
type drawnTest struct {
	text  string
	test  *sim.Test
	name  string // of the model
	model *cat.Model
	plan  *plan.Plan
}

// engine returns a learning engine for the test with a modified query.
func (d *drawnTest) engine(ask func(*axiomatic.Query)) *axiomatic.Engine {
	q := simtest.AxiomaticQuery(d.test)
	ask(q)
	return axiomatic.New(d.plan, q)
}

// compareQueries checks that two modifications of the query give the same answer for random
// programs and models. It returns the number of comparisons, and of the lines of atomics that the
// first engine found.
func compareQueries(t *testing.T, draw func(*rapid.T) string, most int, one, other func(*axiomatic.Query)) (compared, lines int) {
	t.Helper()
	withDrawn(t, sim.States, draw, most, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		first, second := d.engine(one), d.engine(other)
		if !exploreAll(ctx, rt, first, d.test) || !exploreAll(ctx, rt, second, d.test) {
			return
		}
		if got, want := answered(first), answered(second); got != want {
			rt.Fatalf("under %s the learning engine says\n%s\nand where it is asked in another way\n%s\n%s", d.name, got, want, d.text)
		}
		compared++
		lines += first.Lines
	})
	if t.Logf("%d tests were compared", compared); compared == 0 {
		t.Error("no test was compared")
	}
	return compared, lines
}

// TestNeverRead checks that the removal of reads-from pairs (never.go) does not change the answer,
// on threads that meet at barriers, in many models.
func TestNeverRead(t *testing.T) {
	sample.Checks(t, 2, 100)
	compareQueries(t, draw.Meeting, mostListed, func(q *axiomatic.Query) { q.SiftAfter = -1 }, func(q *axiomatic.Query) { q.SiftAfter = 1 << 30 })
}

// TestNeverReadByFlags is TestNeverRead for threads that signal their progress by flags and compute
// from the data of others.
func TestNeverReadByFlags(t *testing.T) {
	sample.Checks(t, 2, 100)
	compareQueries(t, draw.Flags, mostListed, func(q *axiomatic.Query) { q.SiftAfter = -1 }, func(q *axiomatic.Query) { q.SiftAfter = 1 << 30 })
}

// TestParts checks that the answer is the same whether expressions are computed as a whole or in
// parts.
func TestParts(t *testing.T) {
	sample.Checks(t, 2, 100)
	compareQueries(t, draw.Sums, mostListed, func(q *axiomatic.Query) { q.PartsAfter = 1 }, func(q *axiomatic.Query) { q.PartsAfter = 1 << 30 })
}

// TestDivisionOfWhatIsRead checks that a solution in which a read has no source, because a
// computation may have no meaning, is not taken for an execution.
func TestDivisionOfWhatIsRead(t *testing.T) {
	text := draw.Columns([][]string{
		{"ld.relaxed.gpu.u32 r0,[y]", "add.u32 r0,r0,r0", "add.u32 r0,r0,r0", "div.u32 r1,r0,r0", "st.relaxed.gpu.u32 [x],r0"},
		{"ld.relaxed.gpu.u32 r0,[x]", "st.relaxed.gpu.u32 [y],r0"},
	})
	test := simtest.Load(t, text, sim.Defaults())
	for name, m := range simtest.EveryModel(t, "PTX") {
		p, err := m.Compile(sim.Vocabulary())
		if err != nil {
			continue
		}
		e := axiomatic.New(p, simtest.AxiomaticQuery(test))
		for s := range test.Program.Structures(t.Context()) {
			var fault *event.Fault
			if _, err := e.Explore(engine.NewBudget(t.Context().Err), s); err != nil && !errors.As(err, &fault) {
				t.Errorf("under %s: %v", name, err)
			}
		}
	}
}

package sim_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// withDrawn has something done with random programs of few combinations of paths, each under a random model that is compiled.
func withDrawn(t *testing.T, effort sim.Want, draw func(*rapid.T) string, most int, do func(ctx context.Context, rt *rapid.T, d *drawnTest)) {
	t.Helper()
	withDrawnUnder(t, everyModel(t, "PTX"), effort, draw, most, do)
}

// withDrawnUnder is withDrawn for some models.
func withDrawnUnder(t *testing.T, all map[string]*cat.Model, effort sim.Want, draw func(*rapid.T) string, most int, do func(ctx context.Context, rt *rapid.T, d *drawnTest)) {
	t.Helper()
	names := slices.Sorted(maps.Keys(all))
	config := atRandom()
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

// engine is a learning engine for the test that is asked in some way.
func (d *drawnTest) engine(ask func(*axiomatic.Query)) *axiomatic.Engine {
	q := sim.LearningQuery(d.test)
	ask(q)
	return axiomatic.New(bounds.NewProgram(d.plan), q)
}

// compareQueries demands that two ways to ask the learning engine find the same in random programs, in many models. It returns how many were
// compared, and in how many lines of atomics the first way found something out.
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

// TestNeverRead: that the learning engine leaves out what reads never read makes no difference to what it finds. It is compared with an
// engine that does not, on threads that meet at barriers, in many models.
func TestNeverRead(t *testing.T) {
	multiplyChecks(t, 2, 100)
	compareQueries(t, drawMeeting, mostListed, func(q *axiomatic.Query) { q.SiftAfter = -1 }, func(q *axiomatic.Query) { q.SiftAfter = 1 << 30 })
}

// TestNeverReadByFlags is TestNeverRead for threads that say by flags how far they are, and compute from what the others have.
func TestNeverReadByFlags(t *testing.T) {
	multiplyChecks(t, 2, 100)
	compareQueries(t, drawFlags, mostListed, func(q *axiomatic.Query) { q.SiftAfter = -1 }, func(q *axiomatic.Query) { q.SiftAfter = 1 << 30 })
}

// drawFlags draws two or three threads that wait for flags and raise them, and compute from two locations what they write there.
func drawFlags(t *rapid.T) string {
	steps := []string{
		"ld.weak.u32 r0,[x]", "ld.weak.u32 r1,[y]", "add.u32 r2,r0,r1", "add.u32 r2,r2,1", "st.weak.u32 [x],r2", "st.weak.u32 [y],r2", "st.relaxed.gpu.u32 [x],r2",
		"st.release.gpu.u32 [c],1", "st.release.gpu.u32 [c],2", "st.release.gpu.u32 [d],1", "st.relaxed.gpu.u32 [d],2", "fence.acq_rel.gpu",
	}
	waits := []string{"ld.acquire.gpu.u32 r3,[c]", "ld.acquire.gpu.u32 r3,[d]", "ld.relaxed.gpu.u32 r3,[d]", "ld.relaxed.gpu.u32 r3,[x]"}
	var columns [][]string
	for i := range rapid.IntRange(2, 3).Draw(t, "threads") {
		var column []string
		for range rapid.IntRange(2, 5).Draw(t, "steps") {
			column = append(column, rapid.SampledFrom(steps).Draw(t, "step"))
		}
		if rapid.IntRange(0, 3).Draw(t, "waits") > 0 {
			at, least := rapid.IntRange(0, len(column)).Draw(t, "at"), rapid.IntRange(1, 2).Draw(t, "least")
			column = slices.Insert(column, at, fmt.Sprintf("L%d: %s", i, rapid.SampledFrom(waits).Draw(t, "wait")), fmt.Sprintf("setp.lt.u32 p,r3,%d", least), fmt.Sprintf("@p bra L%d", i))
		}
		columns = append(columns, column)
	}
	return strings.Replace(inColumns(columns), "{ c=0; ", "{ c=0; d=0; ", 1)
}

// TestParts: whether expressions are computed as a whole or operation by operation makes no difference to what the learning engine finds.
func TestParts(t *testing.T) {
	multiplyChecks(t, 2, 100)
	compareQueries(t, drawSums, mostListed, func(q *axiomatic.Query) { q.PartsAfter = 1 }, func(q *axiomatic.Query) { q.PartsAfter = 1 << 30 })
}

// drawSums draws two or three threads that compute with what they read, and write that or branch on it.
func drawSums(t *rapid.T) string {
	reads := []string{"ld.relaxed.gpu.u32 %s,[x]", "ld.relaxed.gpu.u32 %s,[y]", "atom.relaxed.gpu.add.u32 %s,[x],1", "ld.weak.u32 %s,[y]"}
	computes := []string{
		"add.u32 %s,%s,%s", "sub.u32 %s,%s,%s", "and.b32 %s,%s,%s", "max.u32 %s,%s,%s", "mul.lo.u32 %s,%s,%s", "div.u32 %s,%s,%s",
		"setp.eq.u32 p,%[2]s,%[3]s;selp.u32 %[1]s,1,%[2]s,p", "xor.b32 %[1]s,%[2]s,%[3]s",
	}
	writes := []string{"st.relaxed.gpu.u32 [x],%s", "st.relaxed.gpu.u32 [y],%s", "atom.relaxed.gpu.exch.b32 r0,[y],%s", "setp.ne.u32 q,%s,0;@q st.relaxed.gpu.u32 [x],2"}
	pick := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "instruction") }
	var columns [][]string
	for range rapid.IntRange(2, 3).Draw(t, "threads") {
		var column []string
		registers := []string{"r0", "r1", "r2"}[:rapid.IntRange(1, 3).Draw(t, "reads")] // of others it is known what they hold
		register := func() string { return rapid.SampledFrom(registers).Draw(t, "register") }
		for _, r := range registers {
			column = append(column, fmt.Sprintf(pick(reads), r))
		}
		for range rapid.IntRange(0, 3).Draw(t, "computations") {
			column = append(column, strings.Split(fmt.Sprintf(pick(computes), register(), register(), register()), ";")...)
		}
		columns = append(columns, append(column, strings.Split(fmt.Sprintf(pick(writes), register()), ";")...))
	}
	return inColumns(columns)
}

// TestDivisionOfWhatIsRead: where a computation may have no meaning, reads need not read in what the solver finds; then it is no execution.
func TestDivisionOfWhatIsRead(t *testing.T) {
	text := inColumns([][]string{
		{"ld.relaxed.gpu.u32 r0,[y]", "add.u32 r0,r0,r0", "add.u32 r0,r0,r0", "div.u32 r1,r0,r0", "st.relaxed.gpu.u32 [x],r0"},
		{"ld.relaxed.gpu.u32 r0,[x]", "st.relaxed.gpu.u32 [y],r0"},
	})
	test := load(t, text, sim.Defaults())
	for name, m := range everyModel(t, "PTX") {
		p, err := m.Compile(sim.Vocabulary())
		if err != nil {
			continue
		}
		e := axiomatic.New(bounds.NewProgram(p), sim.LearningQuery(test))
		for s := range test.Program.Structures(t.Context()) {
			var fault *event.Fault
			if _, err := e.Explore(engine.NewBudget(t.Context().Err), s); err != nil && !errors.As(err, &fault) {
				t.Errorf("under %s: %v", name, err)
			}
		}
	}
}

package axiomatic_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestLines checks that the clauses about lines of atomics do not change the answer, on threads
// that count, in many models.
func TestLines(t *testing.T) {
	compareLines(t, draw.Counters)
}

// compareLines compares an engine that looks for lines at once with one that never does, on random
// tests.
func compareLines(t *testing.T, draw func(*rapid.T) string) {
	t.Helper()
	sample.Checks(t, 1, 100)
	compared, lines := compareQueries(t, draw, mostListed/10, func(q *axiomatic.Query) { q.LineUpAfter = -1 }, func(q *axiomatic.Query) { q.LineUpAfter = 1 << 30 })
	if t.Logf("with %d lines", lines); lines < compared/10 {
		t.Errorf("few of %d tests have lines: %d", compared, lines)
	}
}

// TestLinesUnited is TestLines for unions of structures, in which some members of a line are
// present on some paths only.
func TestLinesUnited(t *testing.T) {
	sample.Checks(t, 2, 100)
	compared, lines := 0, 0
	atomic := simtest.EveryModel(t, "PTX")
	maps.DeleteFunc(atomic, func(name string, _ *cat.Model) bool {
		return !slices.Contains([]string{"ptx", "ptx-7.5", "ptx-6.0", "sc", "tso", "ptx --co=partial"}, name)
	})
	withDrawnUnder(t, atomic, sim.States, draw.Line, mostListed/10, func(ctx context.Context, rt *rapid.T, d *drawnTest) {
		with, without := d.engine(func(q *axiomatic.Query) { q.LineUpAfter = -1 }), d.engine(func(q *axiomatic.Query) { q.LineUpAfter = 1 << 30 })
		for _, e := range []*axiomatic.Engine{with, without} {
			if far, err := exploreUnited(ctx, e, d.test); !far.Answered() || err != nil {
				return
			}
		}
		if got, want := answered(with), answered(without); got != want {
			rt.Fatalf("under %s, with what is known of lines, the learning engine says\n%s\nwithout\n%s\n%s", d.name, got, want, d.text)
		}
		compared, lines = compared+1, lines+with.Lines
	})
	if t.Logf("%d tests were compared, with %d lines", compared, lines); lines < compared/4 {
		t.Errorf("few of %d tests have lines: %d", compared, lines)
	}
}

// TestLinesAtBarriers is TestLines for threads that arrive at an mbarrier, which one of them has
// set up, and test it repeatedly.
func TestLinesAtBarriers(t *testing.T) {
	compareLines(t, draw.Arrivals)
}

package bench_test

import (
	"math"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
)

// TestManyWriters: 20! is the largest factorial that fits an int. With more writers, counts
// saturate and say so, the verdict is right, and no more candidates are visited.
func TestManyWriters(t *testing.T) {
	f, _ := bench.Named("writers")
	for _, name := range []string{"sc", "ptx"} {
		m := model(t, name)
		for _, n := range []int{20, 21, 22, 40}[:sample.Of(4, 2)] {
			for _, effort := range []sim.Want{sim.Counts, sim.States, sim.Verdict} {
				c := sim.Defaults()
				c.Want = effort
				r := run(t, load(t, f.Program(n), c), m)
				if r.Stats.Candidates > 1 || r.Outcome() != sim.Allowed || !r.Holds() {
					t.Errorf("%d writers under %s: %d candidates visited, %v", n, name, r.Stats.Candidates, r.Outcome())
				}
				if many := effort == sim.Counts && n > 20; r.Saturated() != many || many && r.Negative != math.MaxInt {
					t.Errorf("%d writers under %s: %d and %d executions, saturated: %v", n, name, r.Positive,
						r.Negative, r.Saturated())
				}
				if effort == sim.States && r.Positive+r.Negative != n {
					t.Errorf("%d writers under %s: %d states", n, name, r.Positive+r.Negative)
				}
				if effort == sim.Counts {
					sayMany(t, r)
				}
			}
		}
	}
}

// sayMany checks that a record marks saturated counts.
func sayMany(t *testing.T, r *sim.Result) {
	t.Helper()
	var b strings.Builder
	_, _ = r.Record().WriteTo(&b)
	if got := b.String(); strings.Contains(got, "Counts end at 9223372036854775807") != r.Saturated() ||
		!strings.Contains(got, " Sometimes ") {
		t.Errorf("saturated: %v, and the record says\n%s", r.Saturated(), got)
	}
}

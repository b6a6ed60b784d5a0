package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// size is the number of threads, thieves or items of a kernel, and its iterations.
type size struct{ n, rounds int }

func loadKernel(t testing.TB, name string, s size, effort sim.Want, engine sim.Engine) *sim.Test {
	t.Helper()
	c := sim.Defaults()
	c.Want, c.Engine = effort, engine
	k, ok := bench.KernelNamed(name)
	if !ok {
		t.Fatal(name)
	}
	test, err := sim.Load(src.NewFile(name+".litmus", k.Make(s.n, s.rounds)), c)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// kernels are the programs of bench.Kernels, at sizes that the fast engine can do alone, and at
// sizes that it cannot. None goes wrong, and the counter counts.
var kernels = []struct {
	name       string
	small, big []size
	outcome    sim.Outcome
}{
	{"spin-lock", []size{{2, 1}, {2, 2}}, []size{{2, 3}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}, sim.Forbidden},
	{"ttas-lock", []size{{2, 1}}, nil, sim.Forbidden},
	{"ticket-lock", []size{{2, 1}}, []size{{3, 1}, {4, 1}}, sim.Forbidden},
	{"grid-barrier", []size{{2, 1}, {3, 1}}, []size{{4, 1}, {5, 1}, {6, 1}}, sim.Forbidden},
	{"grid-sync", []size{{2, 1}}, []size{{4, 1}, {3, 1}, {8, 1}}, sim.Forbidden},
	{"tree-sum", []size{{2, 1}, {4, 1}}, []size{{16, 1}, {8, 1}, {32, 1}}, sim.Forbidden},
	{"scan", []size{{2, 1}, {3, 1}}, []size{{16, 1}, {8, 1}, {32, 1}}, sim.Forbidden},
	{"pipeline", []size{{1, 2}, {1, 4}, {2, 4}}, []size{{4, 8}, {2, 8}, {3, 6}}, sim.Forbidden},
	{"lost-pipeline", []size{{1, 2}, {1, 4}, {2, 3}}, []size{{2, 8}, {3, 6}, {4, 8}}, sim.Forbidden},
	{"relax", []size{{2, 2}, {3, 2}}, []size{{6, 3}, {8, 3}, {4, 4}}, sim.Forbidden},
	{"ring", []size{{2, 1}, {4, 1}}, []size{{8, 1}, {10, 1}}, sim.Forbidden},
	{"deque", []size{{1, 1}, {2, 1}}, []size{{3, 1}, {4, 1}}, sim.Forbidden},
	{"counter", []size{{2, 2}, {3, 2}}, nil, sim.Allowed},
	{"chain", []size{{2, 1}, {4, 1}}, []size{{20, 1}, {16, 1}, {40, 1}}, sim.Forbidden},
	{"latch", []size{{2, 1}, {3, 1}}, []size{{8, 1}, {10, 1}}, sim.Forbidden},
	{"last-block", []size{{2, 1}, {3, 1}}, []size{{6, 1}, {8, 1}}, sim.Forbidden},
	{"mbarrier-pipeline", []size{{1, 2}, {1, 3}}, []size{{3, 4}, {2, 6}, {2, 8}}, sim.Forbidden},
	{"bulk-pipeline", []size{{1, 2}, {1, 4}}, []size{{1, 10}, {2, 8}, {4, 6}}, sim.Forbidden},
	{"look-back", []size{{2, 1}, {3, 1}}, []size{{5, 1}, {6, 1}}, sim.Forbidden},
	{"halo", []size{{2, 2}, {3, 1}}, []size{{4, 3}, {6, 2}, {4, 4}}, sim.Forbidden},
	{"dekker", []size{{2, 1}}, []size{{2, 2}}, sim.Forbidden},
}

// TestKernels compares the engines on programs of a size that both can do.
func TestKernels(t *testing.T) {
	m := model(t, "ptx")
	for _, k := range kernels {
		for _, s := range k.small {
			counted := run(t, loadKernel(t, k.name, s, sim.Counts, sim.Fast), m)
			asked := run(t, loadKernel(t, k.name, s, sim.States, sim.Learning), m)
			if counted.Outcome() != k.outcome || asked.Outcome() != k.outcome ||
				len(counted.States) != len(asked.States) {
				t.Errorf("%s %v: %v in %d states, and %v in %d; want %v", k.name, s, counted.Outcome(),
					len(counted.States),
					asked.Outcome(), len(asked.States), k.outcome)
			}
		}
	}
}

// TestBigKernels asks only for the verdict.
func TestBigKernels(t *testing.T) {
	m := model(t, "ptx")
	for _, k := range kernels {
		for _, s := range k.big[:sample.Of(len(k.big), min(len(k.big), 1))] {
			r := run(t, loadKernel(t, k.name, s, sim.Verdict, sim.Fast), m)
			if r.Outcome() != k.outcome || r.Work.Left == 0 {
				t.Errorf("%s %v: %v, %d structures left to the learning engine; want %v", k.name, s, r.Outcome(),
					r.Work.Left, k.outcome)
			}
		}
	}
}

// TestRacyScan: the failure of a scan in one buffer is found, although its reads have too many
// possible values to enumerate.
func TestRacyScan(t *testing.T) {
	c := sim.Defaults()
	c.Want = sim.Verdict
	k, _ := bench.KernelNamed("scan")
	test, err := sim.Load(src.NewFile("scan.litmus", strings.ReplaceAll(k.Make(16, 1), "[b", "[a")), c)
	if err != nil {
		t.Fatal(err)
	}
	if r := run(t, test, model(t, "ptx")); r.Outcome() != sim.Allowed {
		t.Errorf("%v, %v", r.Outcome(), r.Limit)
	}
}

// TestExplainKernels: explaining a lock or a barrier takes little more than its verdict: one search
// for candidates that one axiom rejects, rather than one for each axiom.
func TestExplainKernels(t *testing.T) {
	m := model(t, "ptx")
	for _, k := range []struct {
		name string
		size
		steps, conflicts int // in addition to those of run --quick
	}{
		{"spin-lock", size{2, 2}, 1500, 600},
		{"ttas-lock", size{2, 1}, 10_000, 20},
		{"ticket-lock", size{3, 1}, 1500, 110},
		{"grid-barrier", size{4, 1}, 5000, 600},
		{"spin-lock", size{3, 1}, 1500, 70},
		{"spin-lock", size{3, 2}, 1500, 4500},
		{"ticket-lock", size{4, 1}, 1500, 550},
		{"ring", size{4, 1}, 4000, 120},
	}[:sample.Of(8, 3)] {
		asked := run(t, loadKernel(t, k.name, k.size, sim.Verdict, sim.Fast), m)
		e, err := loadKernel(t, k.name, k.size, sim.Counts, sim.Fast).Explain(t.Context(), m.Model)
		if err != nil {
			t.Fatal(err)
		}
		if steps, learnt := e.Work.Steps-asked.Work.Steps, e.Work.Learnt-asked.Work.Learnt; steps > k.steps ||
			learnt > k.conflicts {
			t.Errorf("%s %v: %d steps, want %d; %d conflicts, want %d", k.name, k.size, steps, k.steps, learnt,
				k.conflicts)
		}
		explained := 0
		for _, o := range e.Outcomes {
			if len(o.Reasons) > 0 && o.Reasons[0].Name == "causality-fr" {
				explained++
			}
		}
		if explained == 0 {
			t.Errorf("%s %v: nothing that goes wrong is explained by causality", k.name, k.size)
		}
	}
}

// TestShared: clauses learnt from some combinations of control paths help with others, and those of
// the 648 with an idle iteration are skipped.
func TestShared(t *testing.T) {
	r := run(t, loadKernel(t, "grid-barrier", size{5, 1}, sim.Verdict, sim.Fast), model(t, "ptx"))
	if r.Outcome() != sim.Forbidden || r.Work.Left < 250 || r.Work.Left > 300 || r.Work.Learnt > 3*r.Work.Left {
		t.Errorf("%v, %d conflicts of %d combinations", r.Outcome(), r.Work.Learnt, r.Work.Left)
	}
}

// TestWaiting: combinations of control paths that are too many to enumerate are examined together,
// with few conflicts, and failures are explained.
func TestWaiting(t *testing.T) {
	m := model(t, "ptx")
	for _, effort := range []sim.Want{sim.Counts, sim.States, sim.Verdict} {
		r := run(t, loadKernel(t, "chain", size{24, 1}, effort, sim.Fast), m)
		if r.Outcome() != sim.Forbidden || r.Work.Learnt > 2000 || r.Work.Left < 1<<23 ||
			r.Uncounted != (effort == sim.Counts) || effort != sim.Verdict && len(r.States) != 1 {
			t.Errorf("%v, %d conflicts of %d combinations, %d states, uncounted %t", r.Outcome(), r.Work.Learnt,
				r.Work.Left, len(r.States), r.Uncounted)
		}
	}
	e, err := loadKernel(t, "chain", size{24, 1}, sim.Counts, sim.Fast).Explain(t.Context(), m.Model)
	if err != nil || len(e.Outcomes) != 1 || len(e.Outcomes[0].Reasons) == 0 ||
		e.Outcomes[0].Reasons[0].Name != "causality-fr" {
		t.Errorf("%v, %v", e.Outcomes, err)
	}
}

// TestStandInLine: consequences of ordered atomics are not derived for each of their orders, of
// which eight threads have 40,320.
func TestStandInLine(t *testing.T) {
	for _, name := range []string{"latch", "last-block"} {
		r := run(t, loadKernel(t, name, size{8, 1}, sim.Verdict, sim.Fast), model(t, "ptx"))
		if r.Outcome() != sim.Forbidden || r.Work.Learnt > 10_000 {
			t.Errorf("%s: %v, %d conflicts", name, r.Outcome(), r.Work.Learnt)
		}
	}
}

// TestChangePlaces: of executions that differ by a permutation of threads, only one is searched
// for. Otherwise, the learning engine has 57,557 conflicts where four threads take a lock twice.
func TestChangePlaces(t *testing.T) {
	for _, tt := range []struct {
		name string
		size
		left, learnt int
	}{
		{"ticket-lock", size{4, 1}, 12, 30},
		{"deque", size{4, 1}, 150, 400},
		{"spin-lock", size{4, 2}, 60, 5000},
	}[:sample.Of(3, 2)] {
		r := run(t, loadKernel(t, tt.name, tt.size, sim.Verdict, sim.Fast), model(t, "ptx"))
		if r.Outcome() != sim.Forbidden || r.Work.Left > tt.left || r.Work.Learnt > tt.learnt {
			t.Errorf("%s %v: %v, %d conflicts of %d combinations", tt.name, tt.size, r.Outcome(), r.Work.Learnt,
				r.Work.Left)
		}
	}
}

// TestTally: the final value of a counter is known at once, whatever else its threads do; the
// number of executions is not, which is reported.
func TestTally(t *testing.T) {
	m := model(t, "ptx")
	for _, s := range []size{{2, 10}, {2, 20}, {3, 8}}[:sample.Of(3, 1)] {
		for _, effort := range []sim.Want{sim.Counts, sim.States, sim.Verdict} {
			r := run(t, loadKernel(t, "tally", s, effort, sim.Fast), m)
			if r.Outcome() != sim.Forbidden || r.Uncounted != (effort == sim.Counts) || r.Work.Learnt > 1000 {
				t.Errorf("%v: %v, uncounted %t, %d conflicts", s, r.Outcome(), r.Uncounted, r.Work.Learnt)
			}
			if effort != sim.Verdict && len(r.States) != 1 {
				t.Errorf("%v: %d states", s, len(r.States))
			}
		}
	}
	few := run(t, loadKernel(t, "tally", size{2, 4}, sim.Counts, sim.Fast), m)
	if few.Uncounted || few.Negative < 70 {
		t.Errorf("of four rounds, %d executions, uncounted %t", few.Negative, few.Uncounted)
	}
}

// TestCounters: threads that add to one counter have exact counts, those of their interleavings,
// however large.
func TestCounters(t *testing.T) {
	for _, tt := range []struct {
		size
		count int
	}{
		{size{2, 12}, 2704156},
		{size{2, 20}, 137846528820},
		{size{3, 10}, 5550996791340},
		{size{2, 40}, engine.Most},
		{size{4, 12}, engine.Most},
	} {
		for _, name := range []string{"sc", "tso", "ptx", "ptx-6.0", "ptx-7.5"} {
			r := run(t, loadKernel(t, "counter", tt.size, sim.Counts, sim.Fast), model(t, name))
			if len(r.States) != 1 || r.Positive != tt.count || r.Negative != 0 || r.Limit != nil || r.Uncounted {
				t.Errorf("%v under %s: %d states, %d executions and %d others; want %d", tt.size, name, len(r.States),
					r.Positive, r.Negative, tt.count)
			}
		}
	}
}

// TestManyEvents: a test of more than 64 events has a verdict and states, but counts only if it is
// small.
func TestManyEvents(t *testing.T) {
	m, f := model(t, "ptx"),
		bench.Families[slices.IndexFunc(bench.Families, func(f bench.Family) bool { return f.Name == "mp" })]
	for _, effort := range []sim.Want{sim.Verdict, sim.States, sim.Counts} {
		c := sim.Defaults()
		c.Want = effort
		r := run(t, load(t, f.Program(24), c), m)
		if r.Outcome() != sim.Allowed || effort != sim.Verdict && len(r.States) != 4 || r.Work.Engine != sim.Learning ||
			r.Uncounted != (effort == sim.Counts) {
			t.Errorf("mp-24: %v, %d states by engine %d, uncounted: %v", r.Outcome(), len(r.States), r.Work.Engine,
				r.Uncounted)
		}
	}
}

// TestManyStates: thousands of states are not asked for one by one.
func TestManyStates(t *testing.T) {
	f, _ := bench.Named("sb")
	c := sim.Defaults()
	c.Want = sim.States
	if r := run(t, load(t, f.Program(12), c), model(t, "ptx")); len(r.States) != 1<<12 || r.Work.Engine != sim.Fast ||
		r.Work.Left > 0 {
		t.Errorf("%d states, %d structures left to the learning engine; want %d by the fast one", len(r.States),
			r.Work.Left, 1<<12)
	}
}

// quickly are families at sizes far beyond enumeration, with the verdicts of sc and ptx.
var quickly = []struct {
	family  string
	n       int
	sc, ptx sim.Outcome
}{
	{"writers", 40, sim.Allowed, sim.Allowed},
	{"write-read", 20, sim.Allowed, sim.Allowed},
	{"reader", 20, sim.Allowed, sim.Allowed},
	{"sb", 40, sim.Forbidden, sim.Allowed},
	{"mp", 20, sim.Allowed, sim.Allowed},
	{"iriw", 20, sim.Forbidden, sim.Allowed},
	{"locks", 20, sim.Forbidden, sim.Forbidden},
}

// TestQuickly asks for verdicts of big tests.
func TestQuickly(t *testing.T) {
	for _, q := range quickly {
		f, _ := bench.Named(q.family)
		n := sample.Of(q.n, q.n/2)
		for name, want := range map[string]sim.Outcome{"sc": q.sc, "ptx": q.ptx} {
			c := sim.Defaults()
			c.Want = sim.Verdict
			t.Run(fmt.Sprintf("%s-%d under %s", q.family, n, name), func(t *testing.T) {
				if r := run(t, load(t, f.Program(n), c), model(t, name)); r.Outcome() != want {
					t.Errorf("%v, want %v", r.Outcome(), want)
				}
			})
		}
	}
}

// TestFewRuns: verdicts about twenty threads on one location take few runs of the plan. They have
// too many interleavings to count, and finding that out takes seconds.
func TestFewRuns(t *testing.T) {
	m := model(t, "ptx")
	for _, name := range []string{"reader", "locks", "write-read"} {
		f, _ := bench.Named(name)
		c := sim.Defaults()
		c.Want = sim.Verdict
		if r := run(t, load(t, f.Program(20), c), m); r.Outcome() == sim.Unknown || r.Work.Steps > 1000 {
			t.Errorf("%s: %v, after %d runs of the plan", name, r.Outcome(), r.Work.Steps)
		}
	}
}

// BenchmarkKernels asks for the verdicts of the goals of docs/performance.md.
func BenchmarkKernels(b *testing.B) {
	m := model(b, "ptx")
	for _, k := range kernels {
		for _, s := range append(k.big, map[string][]size{"spin-lock": {{4, 2}}}[k.name]...) {
			b.Run(fmt.Sprintf("%s-%d-%d", k.name, s.n, s.rounds), func(b *testing.B) {
				test := loadKernel(b, k.name, s, sim.Verdict, sim.Fast)
				for b.Loop() {
					r := run(b, test, m)
					b.ReportMetric(float64(r.Work.Left), "asked")
					b.ReportMetric(float64(r.Work.Learnt), "conflicts")
				}
			})
		}
	}
}

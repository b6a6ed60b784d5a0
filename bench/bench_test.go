package bench_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/fast"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

func load(t testing.TB, p bench.Program, c sim.Config) *sim.Test {
	t.Helper()
	test, err := sim.Load(src.NewFile(p.Name+".litmus", p.PTX()), c)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func model(t testing.TB, name string) *models.Model {
	t.Helper()
	m, err := models.Load(name, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		t.Fatal(err)
	}
	return m
}

func run(t testing.TB, test *sim.Test, m *models.Model) *sim.Result {
	t.Helper()
	r, err := test.Run(context.Background(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	if r.Limit != nil {
		t.Fatal(r.Limit)
	}
	return r
}

// sizes are the sizes in the goals of docs/performance.md.
var sizes = map[string][]int{
	"writers": {9, 12}, "write-read": {5, 6, 7}, "reader": {5, 7, 8}, "sb": {10, 14}, "mp": {12, 16},
	"iriw": {5, 7}, "locks": {5, 7},
}

// BenchmarkGrowth simulates one test of each family and size.
func BenchmarkGrowth(b *testing.B) {
	for _, f := range bench.Families {
		for _, name := range []string{"sc", "ptx"} {
			m := model(b, name)
			for _, n := range sizes[f.Name] {
				b.Run(fmt.Sprintf("%s/%s/%d", f.Name, name, n), func(b *testing.B) {
					test := load(b, f.Program(n), sim.Defaults())
					for b.Loop() {
						r := run(b, test, m)
						b.ReportMetric(float64(r.Positive+r.Negative), "executions")
						b.ReportMetric(float64(r.Stats.Candidates), "visited")
					}
				})
			}
		}
	}
}

// TestFamilies compares both engines on small tests of each family.
func TestFamilies(t *testing.T) {
	slow := sim.Defaults()
	slow.Engine = sim.Naive
	for _, f := range bench.Families {
		for _, name := range []string{"sc", "tso", "ptx"} {
			m := model(t, name)
			for n := f.From; n <= f.From+1; n++ {
				fast, naive := run(t, load(t, f.Program(n), sim.Defaults()), m), run(t, load(t, f.Program(n), slow), m)
				if fast.Positive != naive.Positive || fast.Negative != naive.Negative ||
					len(fast.States) != len(naive.States) {
					t.Errorf("%s-%d under %s: %d, %d in %d states; the naive engine says %d, %d in %d", f.Name, n, name,
						fast.Positive, fast.Negative, len(fast.States), naive.Positive, naive.Negative,
						len(naive.States))
				}
			}
		}
	}
}

// TestCounts compares counts at sizes that the naive engine could never reach with combinatorial
// formulas.
func TestCounts(t *testing.T) {
	factorial := func(n int) int { return int(new(big.Int).MulRange(1, int64(n)).Int64()) }
	tests := []struct {
		family string
		n      int
		want   int // consistent executions under sc
	}{
		// Any order of the writes.
		{"writers", 12, factorial(12)},
		{"writers", 18, factorial(18)},
		// In any order of the writes, a thread reads its own or one that comes later: of
		// those, the i-th from the last has i choices.
		{"write-read", 5, factorial(5) * factorial(5)},
		{"write-read", 6, factorial(6) * factorial(6)},
		// All but the one in which each thread reads the initial value.
		{"sb", 12, 1<<12 - 1},
		// Any order of the exchanges.
		{"locks", 6, factorial(6)},
	}
	m := model(t, "sc")
	for _, tt := range tests {
		f, _ := bench.Named(tt.family)
		r := run(t, load(t, f.Program(tt.n), sim.Defaults()), m)
		if got := r.Positive + r.Negative; got != tt.want {
			t.Errorf("%s-%d has %d consistent executions under sc, want %d", tt.family, tt.n, got, tt.want)
		}
	}
}

// BenchmarkSmall measures the fast engine alone on tests of two threads with two accesses each:
// engine-ns is the time in it, without building structures and reading off the answer.
func BenchmarkSmall(b *testing.B) {
	for _, name := range []string{"mp", "sb", "lb"} {
		text, err := litmustests.FS.ReadFile("asplos15/" + name + "-inter-cta.litmus")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			test, err := sim.Load(src.NewFile(name, string(text)), sim.Defaults())
			if err != nil {
				b.Fatal(err)
			}
			p, err := model(b, "ptx-asplos15").Compile(sim.Vocabulary())
			if err != nil {
				b.Fatal(err)
			}
			q := test.Query()
			var solving time.Duration
			b.ReportAllocs()
			for b.Loop() {
				e := fast.For(p)
				budget := engine.NewBudget(b.Context().Err)
				e.Begin(q, &fast.Stats{})
				for s := range test.Program.Structures(b.Context()) {
					began := time.Now()
					if _, err := e.Explore(budget, s); err != nil {
						b.Fatal(err)
					}
					solving += time.Since(began)
				}
				e.Release()
			}
			b.ReportMetric(float64(solving.Nanoseconds())/float64(b.N), "engine-ns")
		})
	}
}

// TestNoAllocationPerCandidate: a message chain of more threads has more candidates but the same
// number of states.
func TestNoAllocationPerCandidate(t *testing.T) {
	f, _ := bench.Named("mp")
	for _, name := range []string{"sc", "ptx"} {
		m := model(t, name)
		allocs := func(n int) (float64, int) {
			test, candidates := load(t, f.Program(n), sim.Defaults()), 0
			return testing.AllocsPerRun(3, func() { candidates = run(t, test, m).Stats.Candidates }), candidates
		}
		few, fewer := allocs(8)
		more, many := allocs(12)
		if perCandidate := (more - few) / float64(many-fewer); many < 10*fewer || perCandidate > 0.05 {
			t.Errorf("%s: %v allocations for %d candidates, %v for %d", name, few, fewer, more, many)
		}
	}
}

// TestX86 prints a program for herd7, and one that needs too many registers.
func TestX86(t *testing.T) {
	f, _ := bench.Named("mp")
	got, ok := f.Program(2).X86()
	for _, line := range []string{
		"X86_64 mp-2", "movl $1,(x) | movl (y0),%eax", "movl $1,(y0) | movl (x),%ebx",
		`exists (1:rax=1 /\ 1:rbx=0)`,
	} {
		if !ok || !strings.Contains(got, line) {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
	f, _ = bench.Named("reader")
	if text, ok := f.Program(20).X86(); ok {
		t.Errorf("19 loads fit into 14 registers:\n%s", text)
	}
}

package bench_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// pointers are the programs of bench.Pointers, with the verdicts of ptx.
var pointers = []struct {
	name      string
	outcome   sim.Outcome
	states    int
	mostVisit int // bound on the candidates that the fast engine visits
	mostSteps int // bound on its steps: runs of the model, and steps of similar cost
}{
	{"treiber", sim.Forbidden, 2, 1000, 20_000},
	{"treiber-relaxed", sim.Allowed, 3, 100, 1000},
	{"michael-scott", sim.Forbidden, 1, 1000, 10_000},
	{"michael-scott-once", sim.Allowed, 2, 100, 1000},
	{"michael-scott-value", sim.Forbidden, 2, 1000, 10_000},
	{"chase-lev", sim.Forbidden, 2, 1000, 10_000},
	{"chase-lev-last", sim.Allowed, 3, 100, 1000},
}

func loadPointers(t testing.TB, name string, c sim.Config) *sim.Test {
	t.Helper()
	text, err := bench.Pointers.ReadFile("pointers/" + name + ".litmus")
	if err != nil {
		t.Fatal(err)
	}
	test, err := sim.Load(src.NewFile(name+".litmus", string(text)), c)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// TestPointersInLoops: data structures with pointers and retry loops have answers that the unroll
// bound does not cut off, and few candidates are visited, whatever is asked.
func TestPointersInLoops(t *testing.T) {
	m := model(t, "ptx")
	for _, p := range pointers {
		for _, effort := range []sim.Want{sim.Counts, sim.States, sim.Verdict} {
			c := sim.Defaults()
			c.Want = effort
			r := run(t, loadPointers(t, p.name, c), m)
			if r.Outcome() != p.outcome || r.Loop() || r.Work.Engine != sim.Fast ||
				effort != sim.Verdict && len(r.States) != p.states {
				t.Errorf("%s: %v, %d states, loop: %v; want %v, %d states", p.name, r.Outcome(), len(r.States),
					r.Loop(), p.outcome, p.states)
			}
			if r.Stats.Candidates > p.mostVisit {
				t.Errorf("%s: %d candidates visited, more than %d", p.name, r.Stats.Candidates, p.mostVisit)
			}
			if r.Work.Steps > p.mostSteps {
				t.Errorf("%s: %d steps, more than %d", p.name, r.Work.Steps, p.mostSteps)
			}
		}
	}
}

// TestExplainPointers: explaining data structures with pointers does not search them once for each
// axiom.
func TestExplainPointers(t *testing.T) {
	m := model(t, "ptx")
	for _, p := range []struct {
		name             string
		steps, conflicts int    // in addition to those of run
		axiom            string // "" if no candidate satisfies the condition
	}{
		{"treiber", 16_000, 300, "causality-fr"},
		{"chase-lev", 14_000, 50, ""},
		{"michael-scott", 40_000, 200, "causality-fr"},
	}[:sample.Of(3, 2)] {
		asked := run(t, loadPointers(t, p.name, sim.Defaults()), m)
		e, err := loadPointers(t, p.name, sim.Defaults()).Explain(t.Context(), m.Model)
		if err != nil {
			t.Fatal(err)
		}
		if steps := e.Work.Steps - asked.Work.Steps; steps > p.steps || e.Work.Learnt > p.conflicts {
			t.Errorf("%s: %d steps besides those of run, want %d; %d conflicts, want %d", p.name, steps, p.steps,
				e.Work.Learnt, p.conflicts)
		}
		axiom := ""
		for _, o := range e.Outcomes {
			axiom = o.Reasons[0].Name
		}
		if axiom != p.axiom {
			t.Errorf("%s: explained by %q, want %q", p.name, axiom, p.axiom)
		}
	}
}

// TestPointersNaive: the naive engine agrees on programs that it can run: those without loops.
func TestPointersNaive(t *testing.T) {
	for _, name := range []string{"sc", "ptx"} {
		m := model(t, name)
		for _, test := range []string{"treiber-relaxed", "michael-scott-once", "chase-lev-last"} {
			c := sim.Defaults()
			c.Reading.Unroll = 0
			fast := run(t, loadPointers(t, test, c), m)
			c.Engine = sim.Naive
			naive := run(t, loadPointers(t, test, c), m)
			if diff := cmp.Diff(counted(naive), counted(fast)); diff != "" || naive.Loop() != fast.Loop() {
				t.Errorf("%s under %s (-naive +fast; loop: %v, %v):\n%s", test, name, naive.Loop(), fast.Loop(), diff)
			}
		}
	}
}

// counted returns the counts of the states of a result.
func counted(r *sim.Result) map[string]int {
	states := map[string]int{}
	for _, s := range r.States {
		states[s.State().Format(r.Test.Observables())] = s.Count
	}
	return states
}

// BenchmarkPointers simulates the programs of bench.Pointers.
func BenchmarkPointers(b *testing.B) {
	m := model(b, "ptx")
	for _, p := range pointers {
		b.Run(p.name, func(b *testing.B) {
			test := loadPointers(b, p.name, sim.Defaults())
			for b.Loop() {
				r := run(b, test, m)
				b.ReportMetric(float64(r.Stats.Structures), "paths")
				b.ReportMetric(float64(r.Stats.Candidates), "visited")
			}
		})
	}
}

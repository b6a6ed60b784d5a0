package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// familyOf returns a program of a family of package bench.
func familyOf(t *testing.T, name string, n int) string {
	f, ok := bench.Named(name)
	if !ok {
		t.Fatal(name)
	}
	return f.Program(n).PTX()
}

// kernelOf returns a program of a kernel of package bench.
func kernelOf(t *testing.T, name string, n, rounds int) string {
	k, ok := bench.KernelNamed(name)
	if !ok {
		t.Fatal(name)
	}
	return k.Make(n, rounds)
}

// TestAttempts: which searches are made follows from the size of a test and from what is asked.
func TestAttempts(t *testing.T) {
	small, big := familyOf(t, "sb", 12), familyOf(t, "sb", 40)
	models := simtest.EveryModel(t, "PTX")
	for _, tt := range []struct {
		about, text string
		change      func(*sim.Config)
		want        string
	}{
		{"counts", small, func(*sim.Config) {}, "counting, states, naive"},
		{"a verdict", small, func(c *sim.Config) { c.Want = sim.Verdict }, "states, naive"},
		{"too many events, counted", big, func(*sim.Config) {}, "counting, naive, few, states, naive"},
		{"too many events", big, func(c *sim.Config) { c.Want = sim.Verdict }, "states, naive"},
		{"bounded candidates", small, func(c *sim.Config) { c.Limits.MaxCandidates = 9 }, "fast, naive"},
		{"too many events, bounded candidates", big, func(c *sim.Config) { c.Limits.MaxCandidates = 9 }, "naive"},
		{"learning asked for", small, func(c *sim.Config) { c.Engine = sim.Learning }, "states, naive"},
		{"naive asked for", small, func(c *sim.Config) { c.Engine = sim.Naive }, "naive"},
	} {
		config := sim.Defaults()
		tt.change(&config)
		test := simtest.Load(t, tt.text, config)
		if got := strings.Join(sim.Attempts(test, models["ptx"]), ", "); got != tt.want {
			t.Errorf("%s: %s; want %s", tt.about, got, tt.want)
		}
	}
}

// TestNext: which engine looks at a structure follows from its size, its locations and what is
// asked.
func TestNext(t *testing.T) {
	one, two := kernelOf(t, "counter", 3, 2), familyOf(t, "sb", 3)
	bigOne, bigTwo := kernelOf(t, "counter", 20, 2), familyOf(t, "sb", 40)
	for _, tt := range []struct {
		about, text       string
		want              sim.Want
		shows, candidates bool
		slice             int
		engines           string
	}{
		{"counts of one location", one, sim.Counts, false, false, 400, "fast, interleaving, fast alone"},
		{"counts of two", two, sim.Counts, false, false, 400, "fast alone"},
		{"counts of many events at one", bigOne, sim.Counts, false, false, 0, "interleaving"},
		{"counts of many events", bigTwo, sim.Counts, false, false, 0, ""},
		{"states of one location", one, sim.States, false, false, 400, "fast, interleaving, learning, fast alone"},
		{"states of two", two, sim.States, false, false, 400, "fast, learning, fast alone"},
		{"states of many events", bigTwo, sim.States, false, false, 0, "learning"},
		{"a verdict of many events", bigTwo, sim.Verdict, false, false, 0, "learning, sampling"},
		{"a verdict of many events at one", bigOne, sim.Verdict, false, false, 0, "interleaving, learning, sampling"},
		{"an execution", one, sim.Verdict, true, false, 400, "fast, learning, fast alone"},
		{"learning asked for", two, sim.States, false, false, 0, "learning, fast alone"},
		{"candidates", one, sim.Counts, false, true, 1200, "fast, learning, fast alone, sampling"},
		{"candidates of many events", bigTwo, sim.Counts, false, true, 1200, "learning, sampling"},
	} {
		for s, err := range simtest.Load(t, tt.text, sim.Defaults()).Program.Structures(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(sim.Next(tt.want, tt.shows, tt.candidates, tt.slice, s), ", "); got != tt.engines {
				t.Errorf("%s: %s; want %s", tt.about, got, tt.engines)
			}
			break
		}
	}
}

// TestTurnsAreTold checks that a result names the attempts, and the engines that explored.
func TestTurnsAreTold(t *testing.T) {
	for _, tt := range []struct {
		text            string
		attempts, turns string
	}{
		{kernelOf(t, "counter", 6, 2), "counting", "[{fast 1} {interleaving 1}]"},
		{kernelOf(t, "latch", 3, 1), "counting", "[{fast 1} {learning 1} {fast alone 2}]"},
		{familyOf(t, "mp", 24), "counting, naive, few, states", "[{learning 1}]"},
	} {
		r := simtest.Run(t, simtest.Load(t, tt.text, sim.Defaults()), simtest.LoadModel(t, "ptx"))
		if got, turns := strings.Join(r.Work.Attempts, ", "), fmt.Sprint(r.Work.Turns); got != tt.attempts || turns != tt.turns {
			t.Errorf("tried %s with %s; want %s with %s", got, turns, tt.attempts, tt.turns)
		}
	}
}

// TestStatesComeFirst: however much there is to count, the states come within a bounded number of
// steps, and they are those that are found without counting.
func TestStatesComeFirst(t *testing.T) {
	const few, most, conflict = 1 << 10, 1 << 13, 32
	m := simtest.LoadModel(t, "ptx")
	var texts []string
	for n := 2; n <= sample.Of(10, 6); n++ {
		texts = append(texts, kernelOf(t, "latch", n, 1), kernelOf(t, "tally", n, 1), kernelOf(t, "counter", n, 2), kernelOf(t, "tally", 2, n))
	}
	counted, uncounted := 0, 0
	for _, text := range texts {
		config := sim.Defaults()
		config.Want = sim.States
		test := simtest.Load(t, text, config)
		if test.Program.MaxEvents() > plan.MaxEvents {
			continue
		}
		states := simtest.Run(t, test, m)
		if steps := states.Work.Steps + conflict*states.Work.Learnt; steps > 1<<17 {
			t.Errorf("%s: states after %d steps", test.Name.Text, steps)
		}
		test = simtest.Load(t, text, sim.Defaults())
		r, answered, err := test.CountWithin(t.Context(), m, few, most)
		if err != nil || !answered {
			t.Fatalf("%s: answered %v, %v", test.Name.Text, answered, err)
		}
		if r.Work.Steps > most+states.Work.Steps+100 {
			t.Errorf("%s: %d steps", test.Name.Text, r.Work.Steps)
		}
		if r.Uncounted {
			uncounted++
			if diff := cmp.Diff(simtest.SaidBy(states, nil), simtest.SaidBy(r, nil)); diff != "" {
				t.Errorf("%s (-states +counts):\n%s", test.Name.Text, diff)
			}
			continue
		}
		counted++
		if len(r.States) != len(states.States) || r.Outcome() != states.Outcome() {
			t.Errorf("%s: %v with %d states, without counts %v with %d", test.Name.Text, r.Outcome(), len(r.States), states.Outcome(), len(states.States))
		}
	}
	if counted < 5 || uncounted < 5 {
		t.Errorf("%d are counted, and %d are not", counted, uncounted)
	}
}

// TestBoundOnCounts checks that whether executions are counted does not depend on the number of
// cores.
func TestBoundOnCounts(t *testing.T) {
	m := simtest.LoadModel(t, "ptx")
	for _, text := range []string{kernelOf(t, "latch", 4, 1), kernelOf(t, "tally", 3, 1), familyOf(t, "mp", 6), kernelOf(t, "spin-lock", 2, 1)} {
		need := 0 // the least power of two that is enough on one core
		for steps := 1 << 6; need == 0; steps *= 2 {
			for cores := 1; cores <= 3; cores++ {
				config := sim.Defaults()
				config.Cores = sim.AtOnce(cores)
				test := simtest.Load(t, text, config)
				r, answered, err := test.CountWithin(t.Context(), m, 1<<30, steps)
				if err != nil || answered != !r.Uncounted && answered {
					t.Fatalf("%s: %v", test.Name.Text, err)
				}
				switch {
				case cores == 1 && answered:
					need = steps
				case answered != (need != 0):
					t.Errorf("%s: counted in %d steps by %d cores: %v, by one: %v", test.Name.Text, steps, cores, answered, need != 0)
				}
			}
		}
	}
}

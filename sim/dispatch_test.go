package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestAttempts: which engines are tried follows from the size of a test and from what is asked.
func TestAttempts(t *testing.T) {
	family := func(name string, n int) string {
		f, ok := bench.Named(name)
		if !ok {
			t.Fatal(name)
		}
		return f.Program(n).PTX()
	}
	small, middle, big := family("sb", 2), family("sb", 12), family("sb", 40)
	models := simtest.EveryModel(t, "PTX")
	for _, tt := range []struct {
		about, text string
		change      func(*sim.Config)
		want        string
	}{
		{"few events", small, func(*sim.Config) {}, "fast and learning, naive"},
		{"more events", middle, func(*sim.Config) {}, "interleaving, fast and learning, naive"},
		{"too many events, counted", big, func(*sim.Config) {}, "interleaving, naive, few, learning, naive"},
		{"too many events", big, func(c *sim.Config) { c.Want = sim.Verdict }, "interleaving, learning, naive"},
		{"bounded candidates", middle, func(c *sim.Config) { c.Limits.MaxCandidates = 9 }, "fast, naive"},
		{"too many events, bounded candidates", big, func(c *sim.Config) { c.Limits.MaxCandidates = 9 }, "naive"},
		{"learning asked for", middle, func(c *sim.Config) { c.Engine = sim.Learning }, "learning, naive"},
		{"naive asked for", middle, func(c *sim.Config) { c.Engine = sim.Naive }, "naive"},
	} {
		config := sim.Defaults()
		tt.change(&config)
		test := simtest.Load(t, tt.text, config)
		if got := strings.Join(sim.Attempts(test, models["ptx"]), ", "); got != tt.want {
			t.Errorf("%s: %s; want %s", tt.about, got, tt.want)
		}
	}
}

// TestAttemptsAreTold: a result says what was tried until something answered.
func TestAttemptsAreTold(t *testing.T) {
	counter, _ := bench.KernelNamed("counter")
	r, err := simtest.Load(t, counter.Make(6, 2), sim.Defaults()).Run(t.Context(), simtest.EveryModel(t, "PTX")["ptx"])
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"interleaving"}; !slices.Equal(r.Work.Attempts, want) {
		t.Errorf("tried %q, want %q", r.Work.Attempts, want)
	}
}

package sim_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
)

// TestEnginesOnGeneratedAsync compares what both engines say of generated tests with asynchronous operations.
func TestEnginesOnGeneratedAsync(t *testing.T) {
	m := loadModel(t, "ptx")
	config := sim.Defaults()
	config.Want = sim.States
	learning := config
	learning.Engine = sim.Learning
	verdicts := map[sim.Outcome]int{}
	n := sample.Of(400, 25)
	for test, err := range gen.Sample(gen.Distinct(gen.FindPreset("async").Cycles(t.Context()), &gen.Counts{}), n, 3) {
		if err != nil {
			t.Fatal(err)
		}
		text := test.String()
		want := run(t, load(t, text, config), m)
		got := run(t, load(t, text, learning), m)
		if states(got) != states(want) || !slices.Equal(got.Flags, want.Flags) {
			t.Errorf("the learning engine finds\n%s %v\nthe fast one\n%s %v\n%s", states(got), got.Flags, states(want), want.Flags, text)
		}
		verdicts[want.Outcome()]++
	}
	if len(verdicts) < 2 || verdicts[sim.Unknown] > 0 {
		t.Errorf("the verdicts are %v: some must be allowed, some forbidden, all known", verdicts)
	}
}

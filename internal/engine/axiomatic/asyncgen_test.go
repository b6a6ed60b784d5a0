package axiomatic_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestEnginesOnGeneratedAsync compares the two engines on generated tests with asynchronous
// operations.
func TestEnginesOnGeneratedAsync(t *testing.T) {
	m := simtest.LoadModel(t, "ptx")
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
		want := simtest.Run(t, simtest.Load(t, text, config), m)
		got := simtest.Run(t, simtest.Load(t, text, learning), m)
		if simtest.States(got) != simtest.States(want) || !slices.Equal(got.Flags, want.Flags) {
			t.Errorf("the learning engine finds\n%s %v\nthe fast one\n%s %v\n%s", simtest.States(got), got.Flags, simtest.States(want), want.Flags, text)
		}
		verdicts[want.Outcome()]++
	}
	if len(verdicts) < 2 || verdicts[sim.Unknown] > 0 {
		t.Errorf("the verdicts are %v: some must be allowed, some forbidden, all known", verdicts)
	}
}

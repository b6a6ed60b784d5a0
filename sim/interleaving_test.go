package sim_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestInterleavingOnRandomTests compares the counts of interleavings with those of the fast engine, which others
// compare with the naive one: on programs of one location, under all models.
func TestInterleavingOnRandomTests(t *testing.T) {
	all := simtest.EveryModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	counted, tried := map[string]int{}, map[string]int{}
	config := sim.Defaults()
	config.Timeout = 5 * time.Second
	sample.Checks(t, 10, 100)
	rapid.Check(t, func(rt *rapid.T) {
		text := draw.OneLocation(rt)
		name := rapid.SampledFrom(names).Draw(rt, "model")
		test, err := sim.Load(src.NewFile("one.litmus", text), config)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		got, err := test.Interleaving(context.Background(), all[name])
		if err != nil {
			rt.Fatalf("under %s: %v\n%s", name, err, text)
		}
		if tried[name]++; got == nil {
			return
		}
		want, err := test.Run(context.Background(), all[name])
		if err == nil && simtest.HitLimit(want) {
			return
		}
		if diff := cmp.Diff(simtest.SaidBy(want, err), simtest.SaidBy(got, nil)); diff != "" {
			rt.Fatalf("under %s (-fast +interleaving):\n%s\n%s", name, diff, text)
		}
		counted[name]++
		for i := range got.States {
			simtest.CheckWitness(rt, text, name, all[name], test, &got.States[i])
		}
	})
	t.Log(counted, tried)
	some, of := 0, 0
	for _, name := range []string{"sc", "tso", "ptx", "ptx-6.0", "ptx-7.5"} {
		some, of = some+counted[name], of+tried[name]
	}
	if !t.Failed() && some < of/8 {
		t.Errorf("interleavings of only %d programs of %d are counted", some, of)
	}
}

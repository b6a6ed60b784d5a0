package sim_test

import (
	"context"
	"fmt"
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

// TestInterleavingOnRandomTests compares the counts of interleavings with those of the fast engine,
// which others compare with the naive one: on programs of one location, under all models.
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

// TestInterleavingOfNoState: no report is raised by executions whose final states do not count.
func TestInterleavingOfNoState(t *testing.T) {
	const text = `PTX one
{ x=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
 st.relaxed.gpu [x],1 | ld.relaxed.gpu r0,[x] ;
%s
exists (1:r0=1)`
	m := simtest.NewModel(t, "acyclic po-loc | rf | co | fr as sc\nempty rmw & (fre ; coe) as atomicity\nflag ~empty (W * R) & ext & loc as apart\nundefined_unless empty (W * R) & ext & loc as wrong")
	for filter, states := range map[string]int{"": 2, "filter (x=1)": 2, "filter (x=7)": 0} {
		test := simtest.Load(t, fmt.Sprintf(text, filter), sim.Defaults())
		got, err := test.Interleaving(context.Background(), m)
		if err != nil || got == nil {
			t.Fatalf("%v, %v", got, err)
		}
		if diff := cmp.Diff(simtest.SaidBy(simtest.Run(t, test, m), nil), simtest.SaidBy(got, nil)); diff != "" || len(got.States) != states {
			t.Errorf("%q: %d states, want %d (-fast +interleaving):\n%s", filter, len(got.States), states, diff)
		}
	}
}

package interleaving_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/interleaving"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestUnorderedAccessesOfOneLocation: the engine that counts interleavings leaves threads whose
// accesses have no order to others.
func TestUnorderedAccessesOfOneLocation(t *testing.T) {
	text := "C reads\n{ x=0; }\nP0 (int* x) { " + "int t = *x + 2 * *x; int u = *x; " +
		"}\nP1 (int* x) { " + strings.Repeat("*x = 1; ", 26) + "}\nexists (0:t=3)\n"
	m := simtest.LoadModel(t, "sc")
	all := simtest.Run(t, simtest.Load(t, text, sim.Defaults()), m)
	visited := sim.Defaults()
	visited.Limits.MaxCandidates = 1 << 40
	if want := simtest.Run(t, simtest.Load(t, text, visited), m); all.Positive != want.Positive || all.Negative != want.Negative {
		t.Errorf("%d and %d executions, want %d and %d", all.Positive, all.Negative, want.Positive, want.Negative)
	}
}

// TestLasts: the final values of one location among others, as its own interleavings have them, are
// all that it has in consistent executions, under all models.
func TestLasts(t *testing.T) {
	all := simtest.EveryModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	known, exact, tried := 0, 0, 0
	config := sim.Defaults()
	config.Timeout, config.Want = 5*time.Second, sim.States
	sample.Checks(t, 10, 100)
	rapid.Check(t, func(rt *rapid.T) {
		text := draw.Locations(rt, 6)
		m := all[rapid.SampledFrom(names).Draw(rt, "model")]
		test, err := sim.Load(src.NewFile("one.litmus", text), config)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		p, err := m.Compile(sim.Vocabulary())
		if err != nil {
			return
		}
		tried++
		observe := test.Query().Observe
		x := slices.IndexFunc(observe, func(o final.Observable) bool { return o.Loc != event.NoLoc })
		can := map[string]bool{}
		for s, err := range test.Program.Structures(context.Background()) {
			if err != nil {
				rt.Fatal(err)
			}
			if s.Truncated || s.Stuck {
				continue
			}
			values, _, known := interleaving.Lasts(engine.NewBudget(engine.Forever), p, s, observe[x].Loc)
			if !known {
				return
			}
			for _, v := range values {
				can[test.Program.Value(v).String()] = true
			}
		}
		r, err := test.Run(context.Background(), m)
		if err != nil || simtest.HitLimit(r) {
			return
		}
		has := map[string]bool{}
		for _, s := range r.States {
			if v := s.State()[x].String(); !can[v] {
				rt.Fatalf("x=%s is none of %v\n%s", v, can, text)
			} else {
				has[v] = true
			}
		}
		known++
		if len(has) == len(can) {
			exact++
		}
	})
	t.Logf("of %d, the values of %d are known, and %d have all of them", tried, known, exact)
	if !t.Failed() && (known < tried/8 || exact < known/2) {
		t.Error("too little is known")
	}
}

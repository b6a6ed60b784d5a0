package models_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/oracle/rc11text"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestRC11IsTheText compares the model rc11, on random programs in C, with the definitions of the
// paper (Lahav et al., PLDI 2017, Sec. 3) written in Go: every execution is built and judged edge
// by edge. The two share only the text of the programs: neither the parser of C, nor relations, nor
// .cat.
//
//	MUSTER_NIGHTLY=1 go test ./models -run RC11IsTheText -timeout 1h
func TestRC11IsTheText(t *testing.T) {
	programs := 2_000
	if sample.Nightly() {
		programs = 20_000
	}
	m, config := simtest.LoadModel(t, "rc11"), sim.Defaults()
	racy, weak := 0, 0
	for seed := range programs {
		p := rc11text.Random(rand.New(rand.NewPCG(uint64(seed), 11)))
		r := simtest.Run(t, simtest.Load(t, p.Text(), config), m)
		got := map[string]bool{}
		for _, s := range r.States {
			got[s.State().Format(r.Test.Observables())] = true
		}
		want, race := p.Outcomes()
		if !maps.Equal(got, want) || race != (len(r.Undefined) > 0) {
			t.Fatalf("seed %d: %s\nmuster: %v, races: %v\ntext:   %v, races: %v", seed, p.Text(),
				slices.Sorted(maps.Keys(got)), r.Undefined, slices.Sorted(maps.Keys(want)), race)
		}
		if race {
			racy++
		}
		if len(want) > 2 {
			weak++
		}
	}
	if racy == 0 || racy == programs || weak == 0 {
		t.Errorf("of %d programs %d race and %d have more than two outcomes: the test tests little", programs, racy,
			weak)
	}
}

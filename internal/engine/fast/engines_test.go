package fast_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestEnginesOnTheCorpus compares the engines on shipped tests under every shipped model: on some,
// or on all with MUSTER_ALL=1; in the model's other readings on a fifth as many, or nightly on all.
func TestEnginesOnTheCorpus(t *testing.T) {
	for name, m := range simtest.EveryModel(t, simtest.AnyTest) {
		config := sim.Defaults()
		if m.Chooses("co") {
			config.Timeout = time.Second // a few candidates have orders for minutes
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, f := range simtest.TestsFor(t, name) {
				every := sample.Of(1, 24)
				if simtest.Seldom(name, f) {
					every *= 5
				}
				if !sample.Nightly() && i%every != len(name)%every {
					continue
				}
				simtest.CompareEngines(t, f.Text, config, f.Name+" "+name, m)
			}
		})
	}
}

// TestEnginesOnRandomTests compares the engines on random programs, of the paper's dialect, of
// scoped PTX, and with pointers in memory, each under a model drawn.
func TestEnginesOnRandomTests(t *testing.T) {
	all := simtest.EveryModel(t, "PTX")
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	config := simtest.AtRandom()
	sample.Checks(t, 4, 200)
	rapid.Check(t, func(rt *rapid.T) {
		text := ""
		switch rapid.SampledFrom([]string{"scoped", "plain", "pointers"}).Draw(rt, "kind") {
		case "scoped":
			text = draw.Scoped(rt)
		case "pointers":
			text = draw.Pointers(rt)
		default:
			text = draw.Program(rt).String()
		}
		name := rapid.SampledFrom(names).Draw(rt, "model")
		simtest.CompareEngines(t, text, config, name, all[name])
	})
}

// TestEnginesOnRandomModels compares the engines on models at random. Most of
// them are well-typed and compile.
func TestEnginesOnRandomModels(t *testing.T) {
	sample.Checks(t, 2, 200)
	var n simtest.DrawnModels
	rapid.Check(t, func(rt *rapid.T) { n.OnRandomModel(rt, simtest.CompareEngines) })
	t.Logf("%+v", n)
	if !t.Failed() && (n.Typed < n.All*3/4 || n.Compiled < n.Typed*3/4) {
		t.Errorf("of %d models %d are well-typed and %d compile", n.All, n.Typed, n.Compiled)
	}
}

// FuzzEngines is TestEnginesOnRandomModels for as long as one likes.
func FuzzEngines(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(rt *rapid.T) { new(simtest.DrawnModels).OnRandomModel(rt, simtest.CompareEngines) }))
}

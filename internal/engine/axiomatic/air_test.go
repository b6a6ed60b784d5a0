package axiomatic_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
)

// TestRings compares the learning engine with the fast one on programs whose addresses are computed
// from reads, under models that allow values out of thin air. In some programs the checks together
// rule out the rings, in others they do not.
func TestRings(t *testing.T) {
	all, learnt := 0, 0
	sample.Checks(t, 8, 200)
	config := simtest.AtRandom()
	models := map[string]map[string]*cat.Model{"OPENCL": simtest.EveryModel(t, "OPENCL"), "C": simtest.EveryModel(t, "C")}
	rapid.Check(t, func(rt *rapid.T) {
		arch := rapid.SampledFrom([]string{"OPENCL", "OPENCL", "C"}).Draw(rt, "language")
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(models[arch]))).Draw(rt, "model")
		a, l := simtest.CompareLearned(t, draw.Indices(rt, arch), config, name, models[arch][name])
		all, learnt = all+a, learnt+l
	})
	if t.Logf("the learning engine knows enough of %d of %d structures", learnt, all); learnt < all/4 || learnt == all {
		t.Errorf("the learning engine knows enough of %d of %d structures", learnt, all)
	}
}

package path_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestRoundsOfReadsAndFencesLeaveNoTrace: a test whose loops count their rounds, so that none is
// left out, has the same final states and the same races, up to the count.
func TestRoundsOfReadsAndFencesLeaveNoTrace(t *testing.T) {
	models := map[string]*cat.Model{}
	names := []string{"ptx", "ptx-7.5", "ptx-6.0", "ptx-asplos15", "sc", "tso", "rmo"}
	for _, name := range names {
		models[name] = simtest.LoadModel(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "model")
		counted := draw.Spin(t)
		plain := strings.ReplaceAll(counted, draw.CountRound, "")
		got, want := finish(t, plain, models[name]), finish(t, counted, models[name])
		if diff := cmp.Diff(withoutCounts(want), withoutCounts(got)); diff != "" {
			t.Fatalf("%s (-every round +rounds without a trace left out)\n%s\n%s", name, diff, plain)
		}
		if sim.IsBound(got.Limit) {
			t.Fatalf("%s: the unroll bound was reached\n%s", name, plain)
		}
	})
}

func finish(t *rapid.T, text string, m *cat.Model) *sim.Result {
	test, err := sim.Load(src.NewFile("test.litmus", text), sim.Defaults())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := test.Run(context.Background(), m)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// withoutCounts returns the final states of a result, but for the counts of rounds, and its race.
func withoutCounts(r *sim.Result) []string {
	var all []string
	for _, s := range r.States {
		var words []string
		for i, ref := range r.Test.Observables() {
			if ref.Name != "r9" {
				words = append(words, fmt.Sprintf("%v=%v", ref, s.State()[i]))
			}
		}
		all = append(all, strings.Join(words, " "))
	}
	if slices.Contains(r.Flags, "race") {
		all = append(all, "race")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

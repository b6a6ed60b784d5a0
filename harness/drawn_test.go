package harness_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness"
)

// TestDrawn: each launch draws strides, stress and lines up to their bounds, and how many launches do without meeting, hammering or stress, or
// play in turns, is as the percentages say.
func TestDrawn(t *testing.T) {
	p, err := plan(t, parse(t, mp), harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	s := harness.Usual()
	s.Vary, s.WithoutMeeting, s.WithoutPre, s.WithoutStress, s.InTurns = true, 25, 50, 75, 10
	shape, err := p.Shape(s)
	if err != nil {
		t.Fatal(err)
	}
	const launches = 4000
	random := rand.New(rand.NewPCG(1, 2))
	strides, without := map[uint32]bool{}, map[string]int{}
	var places, lines []uint32
	for range launches {
		numbers := p.Numbers(s, shape, random)
		strides[numbers["stride"]] = true
		places, lines = append(places, numbers["places"]), append(lines, numbers["lines"])
		for _, name := range []string{"patience", "pre_rounds", "stress_rounds", "together"} {
			if numbers[name] == 0 {
				without[name]++
			}
		}
	}
	if diff := cmp.Diff([]uint32{4, 8, 16, 32, 64}, slices.Sorted(maps.Keys(strides))); diff != "" {
		t.Error(diff)
	}
	if slices.Min(places) != uint32(shape.Clusters) || slices.Max(places) != uint32(shape.Clusters+s.StressCTAs) {
		t.Errorf("from %d to %d places", slices.Min(places), slices.Max(places))
	}
	if slices.Min(lines) != 1 || slices.Max(lines) != uint32(s.Lines) {
		t.Errorf("from %d to %d lines", slices.Min(lines), slices.Max(lines))
	}
	// Who plays in turns meets nobody: 25 percent, and 10 of the other 75.
	for name, percent := range map[string]float64{"patience": 32.5, "pre_rounds": 50, "stress_rounds": 75, "together": 10} {
		if n := 100 * float64(without[name]) / launches; n < percent-3 || n > percent+3 {
			t.Errorf("%.1f%% of launches without %s, not %.1f%%", n, name, percent)
		}
	}
}

package harness_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/harness"
)

// TestDrawn: each launch draws strides, stress and lines up to their bounds; the shares of launches
// without meeting, hammering or stress, or played in turns, match the percentages.
func TestDrawn(t *testing.T) {
	p, err := plan(t, parse(t, mp), harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	s := harness.Usual()
	s.WithoutMeeting, s.WithoutPre, s.WithoutStress, s.InTurns = 25, 50, 75, 10
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
	if diff := cmp.Diff([]uint32{4, 8, 16}, slices.Sorted(maps.Keys(strides))); diff != "" {
		t.Error(diff)
	}
	if slices.Min(places) != uint32(shape.Clusters) || slices.Max(places) != uint32(shape.Clusters+s.StressCTAs) {
		t.Errorf("from %d to %d places", slices.Min(places), slices.Max(places))
	}
	if slices.Min(lines) != 1 || slices.Max(lines) != uint32(s.Lines) {
		t.Errorf("from %d to %d lines", slices.Min(lines), slices.Max(lines))
	}
	// A launch that plays in turns does not meet: 25 percent, and 10 percent of the other 75.
	for name, percent := range map[string]float64{
		"patience":      32.5,
		"pre_rounds":    50,
		"stress_rounds": 75,
		"together":      10,
	} {
		if n := 100 * float64(without[name]) / launches; n < percent-3 || n > percent+3 {
			t.Errorf("%.1f%% of launches without %s, not %.1f%%", n, name, percent)
		}
	}
}

// TestSettingsOutOfRange: each field has bounds, and the error names it. A value that is negative
// here would be a large number on the GPU, or a panic where it is drawn.
func TestSettingsOutOfRange(t *testing.T) {
	p, err := plan(t, parse(t, mp), harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if text, err := json.Marshal(harness.Usual()); err != nil || json.Unmarshal(text, &fields) != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		if _, number := value.(float64); !number {
			continue
		}
		for _, bad := range []int{-1, -300, 1 << 30} {
			s := harness.Usual()
			if err := json.Unmarshal(fmt.Appendf(nil, `{%q: %d}`, name, bad), &s); err != nil {
				t.Fatal(err)
			}
			_, err := p.Shape(s)
			var unfit *harness.Unfit
			if !errors.As(err, &unfit) ||
				!strings.Contains(err.Error(), fmt.Sprintf("settings: %s is %d, and must be ", name, bad)) {
				t.Errorf("%s %d: the error is %v", name, bad, err)
			}
		}
	}
	for change, want := range map[string]string{
		`{"threads": 40}`:                     "settings: threads is 40, and must be a multiple of 32",
		`{"ctas": 60000, "stressCTAs": 7000}`: "settings: ctas and stressCTAs are 67000, and must be at most 65536",
	} {
		s := harness.Usual()
		if err := json.Unmarshal([]byte(change), &s); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Shape(s); err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v", change, err)
		}
	}
}

package models_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/testkit/oracle/asynctext"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestGeneratedAsyncIsTheText compares the results of the model ptx for generated tests with
// asynchronous operations with those of package asynctext for the same programs.
func TestGeneratedAsyncIsTheText(t *testing.T) {
	m := simtest.LoadModel(t, "ptx")
	config := sim.Defaults()
	config.Want = sim.States
	seen := map[string]int{}
	n := sample.Of(4000, 400)
	for test, err := range gen.Sample(gen.Distinct(gen.FindPreset("async").Cycles(t.Context()), &gen.Counts{}), n, 7) {
		if err != nil {
			t.Fatal(err)
		}
		text := test.String()
		p, err := asynctext.ReadGenerated(text)
		if err != nil {
			seen["not read"]++
			continue
		}
		want, err := p.Answer(fewReadings)
		if err != nil {
			seen[err.Error()]++
			continue
		}
		got := simtest.Run(t, simtest.Load(t, text, config), m)
		allowed := some(want, conjunction(text, p.Renamed))
		if allowed != (got.Outcome() == sim.Allowed) {
			t.Errorf("the text allows the condition: %v, the model says %v\n%s", allowed, got.Outcome(), text)
		}
		for flag, raised := range want.Flags {
			if slices.Contains(got.Flags, flag) != raised {
				t.Errorf("the flag %s must be raised: %v\n%s", flag, raised, text)
			}
		}
		seen[fmt.Sprintf("allowed %v", allowed)]++
		seen["multicast"] += strings.Count(text, ".multicast::cluster")
	}
	if seen["allowed true"] < n/3 || seen["allowed false"] < n/20 || seen["multicast"] < n/200 ||
		seen["not read"] > n/4 {
		t.Errorf("what was seen of %d tests: %v", n, seen)
	}
}

// some reports whether a state has all the values.
func some(a *asynctext.Answer, values []string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(a.States)), func(state string) bool {
		return !slices.ContainsFunc(values, func(v string) bool { return !strings.Contains("; "+state, "; "+v+"; ") })
	})
}

// conjunction returns the values that the condition of a generated test asks for, with the names of
// locations in the parsed program.
func conjunction(text string, renamed map[string]string) (values []string) {
	_, condition, _ := strings.Cut(text, "exists (")
	for _, v := range strings.Split(strings.TrimSuffix(strings.TrimSpace(condition), ")"), ` /\ `) {
		v = strings.NewReplacer("[", "", "]", "").Replace(v)
		if name, value, _ := strings.Cut(v, "="); renamed[name] != "" {
			v = "[" + renamed[name] + "]=" + value
		}
		values = append(values, v)
	}
	return values
}

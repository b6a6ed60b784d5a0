package symmetry_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/sim"
)

// TestTwins compares the learning engine, which changes places of threads where a verdict is all
// that is wanted, with the fast one.
func TestTwins(t *testing.T) {
	all := simtest.EveryModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	if !sample.All() { // partial orders are most of the time
		names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "partial") })
	}
	outcomes, changes := map[sim.Outcome]int{}, 0
	searching, asking := simtest.AtRandom(), simtest.AtRandom()
	searching.Want, searching.Limits.MaxCandidates = sim.States, 500
	asking.Engine, asking.Want = sim.Learning, sim.Verdict
	sample.Checks(t, 2, 50)
	rapid.Check(t, func(rt *rapid.T) {
		text, threads := draw.Twins(rt)
		name := rapid.SampledFrom(names).Draw(rt, "model")
		simtest.CompareLearning(t, text+fmt.Sprintf("locations [x; y; %d:r0]\nexists (x=1)", rapid.IntRange(0, threads-1).Draw(rt, "observed")), simtest.AtRandom(), name, all[name])
		text += "locations [x; y"
		for i := range threads {
			text += fmt.Sprintf("; %d:r0; %[1]d:r1; %[1]d:r2", i)
		}
		text += "]\n"
		found, err := simtest.Load(t, text+"exists (true)", searching).Run(context.Background(), all[name])
		if err != nil || simtest.HitLimit(found) || len(found.States) == 0 {
			return
		}
		changes += changePlaces(rt, found.Test)
		for range sample.Of(4, 2) {
			state := found.States[rapid.IntRange(0, len(found.States)-1).Draw(rt, "state")].State().Format(found.Test.Observables())
			asked := text + rapid.SampledFrom([]string{"exists", "~exists", "forall"}).Draw(rt, "quantifier") + " (" + draw.SomeOf(rt, state) + ")"
			want := simtest.Run(t, simtest.Load(t, asked, searching), all[name])
			got := simtest.Run(t, simtest.Load(t, asked, asking), all[name])
			if simtest.HitLimit(want) || simtest.HitLimit(got) {
				continue
			}
			if outcomes[got.Outcome()]++; got.Outcome() != want.Outcome() {
				rt.Fatalf("under %s: %v, want %v\n%s", name, got.Outcome(), want.Outcome(), asked)
			}
		}
	})
	t.Logf("%d changes of places, outcomes %v", changes, outcomes)
	if !t.Failed() && (changes == 0 || outcomes[sim.Allowed] == 0 || outcomes[sim.Forbidden] == 0) {
		t.Error("too little is compared")
	}
}

// TestChangePlaces: where threads of a shipped test may change places, models see no difference.
func TestChangePlaces(t *testing.T) {
	changes := 0
	for i, f := range simtest.Corpus(t) {
		if i%sample.Of(1, 10) == 0 {
			changes += changePlaces(t, simtest.Load(t, f.Text, sim.Defaults()))
		}
	}
	t.Logf("%d changes", changes)
	if changes == 0 {
		t.Error("no threads may change places")
	}
}

// changePlaces changes places of threads in some candidates of a test, and demands that each set
// and relation that models see is what it was, of the events that have changed places. It returns
// how often it did.
func changePlaces(t rapid.TB, test *sim.Test) (changes int) {
	const candidates = 4
	seen, options := 0, enumerate.Options{MaxCandidates: 200}
	for x, err := range enumerate.Executions(context.Background(), test.Program, options, &enumerate.Stats{}) {
		if seen++; err != nil || seen > candidates {
			return changes
		}
		if x.Wrong != nil || !symmetry.Apart(x.Structure) {
			continue
		}
		for v, class := range symmetry.Of(x.Structure, func(int, int) bool { return true }) {
			for u := range v {
				if class == u && symmetry.Same(x.Paths[u], x.Paths[v]) {
					changes++
					sameNames(t, test, x, u, v)
				}
			}
		}
	}
	return changes
}

// sameNames compares what models see of an execution, and of that in which threads u and v have
// changed places.
func sameNames(t rapid.TB, test *sim.Test, x *event.Execution, u, v int) {
	to := make([]event.ID, x.N())
	for e := range to {
		to[e] = e
	}
	for i := range x.Paths[u].Events {
		to[x.First[u]+i], to[x.First[v]+i] = x.First[v]+i, x.First[u]+i
	}
	moved := func(r rel.Rel) rel.Rel {
		m := rel.New(x.N())
		for a, b := range r.Pairs() {
			m.Add(to[a], to[b])
		}
		return m
	}
	y := *x
	y.Loc, y.Val, y.Rf, y.Via, y.Co = slices.Clone(x.Loc), slices.Clone(x.Val), slices.Clone(x.Rf), slices.Clone(x.Via), moved(x.Co)
	for e, f := range to {
		y.Loc[f], y.Val[f], y.Rf[f] = x.Loc[e], x.Val[e], x.Rf[e]
		if x.Rf[e] >= 0 {
			y.Rf[f] = to[x.Rf[e]]
		}
		if x.Via != nil {
			y.Via[f] = x.Via[e]
		}
	}
	for _, name := range x.Vocab().Sets() {
		before, _ := x.Set(name)
		after, _ := y.Set(name)
		if !moved(rel.Identity(before)).Equal(rel.Identity(after)) {
			t.Fatalf("%s: %s is %v and %v", test.Name.Text, name, before, after)
		}
	}
	for _, name := range x.Vocab().Rels() {
		before, ok := x.Rel(name)
		after, _ := y.Rel(name)
		if ok && !moved(before).Equal(after) {
			t.Fatalf("%s: %s is %v and %v", test.Name.Text, name, before, after)
		}
	}
}

package fast

import (
	"fmt"
	"slices"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// TestSwitchedOff: what passes all checks but some is found, and visited where that is asked for,
// and raises no flags.
func TestSwitchedOff(t *testing.T) {
	p := coherent(func(b *plan.Builder, co plan.Node) {
		po, rf := b.Input("po", false, 0), b.Input("rf", false, plan.VarOf(plan.Rf))
		b.Check("never", plan.IsEmpty, false, po) // the program alone decides it
		b.Check("coherence", plan.Acyclic, false, b.Union(b.Union(po, rf), b.Union(co, b.Seq(b.Inverse(rf), co))))
		b.Report("some", plan.IsEmpty, true, co, false)
	})
	twice := &event.Path{Events: append(writes(1).Events, writes(2).Events...)}
	s := program(twice, reads())
	r0 := final.Observable{Reg: event.Reg{Thread: 1, Name: "r0"}, Loc: event.NoLoc}
	for _, c := range []struct {
		off  []int
		want []string
	}{
		{nil, nil},
		{[]int{0}, []string{"0 2 × 1", "1 2 × 1", "2 2 × 1"}},
		{[]int{1}, nil},
		{[]int{0, 1}, []string{"0 1 × 1", "0 2 × 1", "1 1 × 1", "1 2 × 1", "2 1 × 1", "2 2 × 1"}},
	} {
		var visited []string
		q := &Query{Observe: []final.Observable{r0, {Loc: x}}, Guards: plan.Disable(len(p.Checks), c.off...)}
		q.Visit = func(v []event.Value, _ int, w engine.Evidence) bool {
			x := w.Witness().Execution
			if end := x.FinalValues(0); !slices.Equal(end, v[1:]) {
				t.Errorf("off %v: a candidate ends in %v, not in %v", c.off, end, v)
			}
			visited = append(visited, fmt.Sprintf("%d %d × 1", v[0].Int, v[1].Int))
			return true
		}
		states, _, err := ask(t, p, q, s)
		slices.Sort(visited)
		if err != nil || !slices.Equal(states, c.want) || !slices.Equal(visited, c.want) {
			t.Errorf("off %v: states %q, visited %q, %v; want %q", c.off, states, visited, err, c.want)
		}
	}
}

// TestForgiven: what fails checks of one group only is visited, with that group, and so is what
// fails none; each other check holds.
func TestForgiven(t *testing.T) {
	p := coherent(func(b *plan.Builder, co plan.Node) {
		po, rf := b.Input("po", false, 0), b.Input("rf", false, plan.VarOf(plan.Rf))
		// the second write is first in coherence
		b.Check("last", plan.Irreflexive, false, b.Seq(po, co))
		// never
		b.Check("read", plan.Irreflexive, false, b.Seq(b.Inverse(rf), b.Seq(b.Inverse(po), rf)))
		// a read of the second write
		b.Check("seen", plan.IsEmpty, false, b.Seq(po, rf))
	})
	twice := &event.Path{Events: append(writes(1).Events, writes(2).Events...)}
	r0 := final.Observable{Reg: event.Reg{Thread: 1, Name: "r0"}, Loc: event.NoLoc}
	for _, c := range []struct {
		groups plan.Guards
		want   []string
	}{
		{nil, []string{"0 2: 0", "1 2: 0"}},
		{plan.Guards{0, 0, 0}, []string{"0 2: 0", "1 2: 0"}},
		{plan.Guards{1, 0, 0}, []string{"0 1: 1", "0 2: 0", "1 1: 1", "1 2: 0"}},
		{plan.Guards{1, 0, 2}, []string{"0 1: 1", "0 2: 0", "1 1: 1", "1 2: 0", "2 2: 2"}},
		{plan.Guards{1, 0, 1}, []string{"0 1: 1", "0 2: 0", "1 1: 1", "1 2: 0", "2 1: 1", "2 2: 1"}},
	} {
		var visited []string
		q := &Query{Observe: []final.Observable{r0, {Loc: x}}, Guards: c.groups, Visit: func(v []event.Value, forgiven int, _ engine.Evidence) bool {
			visited = append(visited, fmt.Sprintf("%d %d: %d", v[0].Int, v[1].Int, forgiven))
			return true
		}}
		_, _, err := ask(t, p, q, program(twice, reads()))
		slices.Sort(visited)
		if err != nil || !slices.Equal(visited, c.want) {
			t.Errorf("groups %v: visited %q, %v; want %q", c.groups, visited, err, c.want)
		}
	}
}

// TestVisitEnds: a visit can end the search. Each order of writes is visited.
func TestVisitEnds(t *testing.T) {
	visits := 0
	q := &Query{
		Observe: []final.Observable{{Reg: event.Reg{Thread: 2, Name: "r0"}, Loc: event.NoLoc}}, Want: engine.States,
		Visit: func([]event.Value, int, engine.Evidence) bool { visits++; return visits < 2 },
	}
	if states, _, err := ask(t, coherent(anything), q, program(writes(1), writes(2), reads())); len(states) != 1 || visits != 2 || err != nil {
		t.Errorf("%d visits, states %q, %v", visits, states, err)
	}
}

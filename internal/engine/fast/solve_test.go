package fast

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// The location of the programs below.
const x event.Loc = 0

func writes(value int64) *event.Path {
	return &event.Path{Events: []event.Event{
		{Kind: event.Write, Addr: event.Const(event.AddressOf(x)), Data: event.Const(event.Int(value))},
	}}
}

// reads is a path that reads x into r0.
func reads() *event.Path {
	return &event.Path{
		Events: []event.Event{{Kind: event.Read, Addr: event.Const(event.AddressOf(x)), Data: event.ReadOf(0)}},
		Finals: map[string]event.Expr{"r0": event.ReadOf(0)},
	}
}

// program is the structure of threads of one path each.
func program(paths ...*event.Path) *event.Structure {
	locs := []event.Location{{Name: "x", Init: event.Int(0)}}
	return event.Join(locs, make([]event.Thread, len(paths)), paths)
}

// coherent is a plan in which coherence is chosen, and what a model asks of it.
func coherent(model func(b *plan.Builder, co plan.Node)) *plan.Plan {
	b := plan.NewBuilder()
	w := b.Input("W", true, 0)
	loc := b.Input("loc", false, plan.VarOf(plan.Places))
	co0 := b.Input("co0", false, plan.VarOf(plan.Places))
	model(b, b.Choose("co", plan.Completions, b.Inter(loc, b.Product(w, w)), co0))
	return b.Plan()
}

func anything(*plan.Builder, plan.Node) {}

// ask explores structures and prints the states: the values, and how often they come.
func ask(t *testing.T, p *plan.Plan, q *Query, structures ...*event.Structure) (states []string, stats Stats, err error) {
	t.Helper()
	e := For(p)
	defer e.Release()
	q.Domain = func() []event.Value { return nil }
	e.Begin(q, &stats)
	b := engine.NewBudget(engine.Forever)
	for _, s := range structures {
		var far engine.Extent
		if far, err = e.Explore(b, s); far != engine.Done {
			break
		}
	}
	a := e.Answer()
	for _, s := range a.States {
		text := ""
		for _, v := range s.Values() {
			text += fmt.Sprint(v.Int, " ")
		}
		states = append(states, fmt.Sprintf("%s× %d", text, s.Count))
	}
	slices.Sort(states)
	return states, stats, err
}

// TestCounting: orders of writes that nothing asks about are counted, not visited.
func TestCounting(t *testing.T) {
	q := &Query{Observe: []final.Observable{{Loc: x}}}
	states, stats, err := ask(t, coherent(anything), q, program(writes(1), writes(2), writes(2), writes(3)))
	if want := []string{"1 × 6", "2 × 12", "3 × 6"}; err != nil || !slices.Equal(states, want) {
		t.Errorf("states %q, %v; want %q", states, err, want)
	}
	if stats.Candidates != 1 {
		t.Errorf("%d candidates were visited, want 1", stats.Candidates)
	}
}

// TestMoreThanCanBeCounted: an int holds 20!, the number of orders of 20 writes, but not the
// executions in which a read may read from each of them: these are as many as it holds.
func TestMoreThanCanBeCounted(t *testing.T) {
	var paths []*event.Path
	for range maxTied {
		paths = append(paths, writes(1))
	}
	q := &Query{}
	states, _, err := ask(t, coherent(anything), q, program(paths...))
	if want := []string{"× 2432902008176640000"}; err != nil || !slices.Equal(states, want) {
		t.Errorf("states %q, %v; want %q", states, err, want)
	}
	states, _, err = ask(t, coherent(anything), q, program(append(paths, reads())...))
	if want := []string{"× 9223372036854775807"}; err != nil || !slices.Equal(states, want) {
		t.Errorf("20! orders for each of 21 writes that a read may read from: %q, %v", states, err)
	}
}

// TestForcing: what a model decides about the order of writes is not tried the other way.
func TestForcing(t *testing.T) {
	p := coherent(func(b *plan.Builder, co plan.Node) {
		rf := b.Input("rf", false, plan.VarOf(plan.Rf))
		fr := b.Seq(b.Inverse(rf), co)
		b.Check("coherence", plan.Acyclic, false, b.Union(b.Union(b.Input("po", false, 0), rf), b.Union(co, fr)))
	})
	second := reads()
	second.Events = append(writes(2).Events, second.Events...)
	second.Events[1].Data, second.Finals["r0"] = event.ReadOf(1), event.ReadOf(1)
	q := &Query{Observe: []final.Observable{{Reg: event.Reg{Thread: 1, Name: "r0"}, Loc: event.NoLoc}, {Loc: x}}}
	states, stats, err := ask(t, p, q, program(writes(1), second))
	if want := []string{"1 1 × 1", "2 1 × 1", "2 2 × 1"}; err != nil || !slices.Equal(states, want) {
		t.Errorf("states %q, %v; want %q", states, err, want)
	}
	if stats.Forced != 1 {
		t.Errorf("%d pairs were forced, want 1: that of a read from the other thread's write", stats.Forced)
	}
}

// TestQueries: what a query leaves out, and when the search ends.
func TestQueries(t *testing.T) {
	is := func(n int64) final.Formula {
		return final.Atom{Holds: func(v, _ event.Value) bool { return v == event.Int(n) }}
	}
	r0 := []final.Observable{{Reg: event.Reg{Thread: 2, Name: "r0"}, Loc: event.NoLoc}}
	s := program(writes(1), writes(2), reads())
	for name, c := range map[string]struct {
		query   Query
		want    []string
		limited bool
	}{
		"counts":  {Query{}, []string{"0 × 2", "1 × 2", "2 × 2"}, false},
		"states":  {Query{Want: engine.States}, []string{"0 × 1", "1 × 1", "2 × 1"}, false},
		"quick":   {Query{Want: engine.Verdict, Asks: is(1)}, []string{"1 × 1"}, false},
		"filter":  {Query{Keep: is(2)}, []string{"2 × 2"}, false},
		"both":    {Query{Want: engine.Verdict, Keep: is(2), Asks: is(0)}, nil, false},
		"limited": {Query{MaxCandidates: 2}, []string{"0 × 2", "1 × 2"}, true},
	} {
		c.query.Observe = r0
		states, _, err := ask(t, coherent(anything), &c.query, s)
		var limit *enumerate.LimitError
		if !slices.Equal(states, c.want) || errors.As(err, &limit) != c.limited {
			t.Errorf("%s: states %q, %v; want %q", name, states, err, c.want)
		}
	}
}

// TestEngineIsUsedAgain: nothing of a query is left for the next.
func TestEngineIsUsedAgain(t *testing.T) {
	p := coherent(func(b *plan.Builder, co plan.Node) { b.Report("some", plan.IsEmpty, true, b.Seq(co, co), false) })
	e := For(p)
	q := &Query{Observe: []final.Observable{{Loc: x}}, Domain: func() []event.Value { return nil }}
	for _, c := range []struct {
		program *event.Structure
		states  int
		flags   []string
	}{
		{program(writes(1), writes(2), writes(3)), 3, []string{"some"}},
		{program(writes(1)), 1, nil},
		{program(writes(1), writes(2)), 2, []string{"some"}},
		{program(), 1, nil},
	} {
		e.Begin(q, &Stats{})
		_, err := e.Explore(engine.NewBudget(engine.Forever), c.program)
		a := e.Answer()
		if flags, _ := p.Raised(a.Raised); err != nil || len(a.States) != c.states || !slices.Equal(flags, c.flags) {
			t.Errorf("%d states with the flags %q, %v; want %d, %q", len(a.States), flags, err, c.states, c.flags)
		}
		e.Release()
		e = For(p)
	}
}

// TestWitnesses: each state has an execution that ends in it, counted ones too.
func TestWitnesses(t *testing.T) {
	e := For(coherent(anything))
	q := &Query{Observe: []final.Observable{{Loc: x}}, Domain: func() []event.Value { return nil }}
	e.Begin(q, &Stats{})
	_, err := e.Explore(engine.NewBudget(engine.Forever), program(writes(1), writes(2), writes(3), reads()))
	a := e.Answer()
	if err != nil || len(a.States) != 3 {
		t.Fatalf("%d states, %v", len(a.States), err)
	}
	for _, s := range a.States {
		w := s.Witness()
		if err := w.Execution.Validate(); err != nil || !w.Execution.Co.Equal(w.Choices[0]) {
			t.Errorf("the witness of %v: %v, with coherence %v", s.Values(), err, w.Choices)
		}
		if end := w.Execution.FinalValues(x); !slices.Equal(end, s.Values()) {
			t.Errorf("the witness of %v ends in %v", s.Values(), end)
		}
	}
}

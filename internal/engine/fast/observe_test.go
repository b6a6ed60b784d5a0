package fast

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// TestSelection: who asks for a verdict alone visits candidates that end in a wanted state, unless
// others could tell something, too: a flag, a value out of thin air, or a computation without
// meaning.
func TestSelection(t *testing.T) {
	third := func(thread int) event.Expr { // of what the thread reads first
		x, err := event.Apply(arith.Div, arith.S32, event.Const(event.Int(3)), event.ReadOf(thread))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	copies := reads()
	copies.Events = append(copies.Events, event.Event{Kind: event.Write, Addr: event.Const(event.AddressOf(x)), Data: event.ReadOf(0)})
	divides := reads()
	divides.Finals["r1"] = third(0)
	divides.Finals["r2"] = third(0)
	flag := func(b *plan.Builder, co plan.Node) { b.Report("some", plan.IsEmpty, true, co, false) }
	fixed := func(b *plan.Builder, _ plan.Node) { b.Report("some", plan.IsEmpty, true, b.Input("W", true, 0), false) }
	empty := func(b *plan.Builder, co plan.Node) {
		b.Report("some", plan.IsEmpty, true, b.Inter(co, b.Input("addr", false, 0)), false)
	}
	never := func(b *plan.Builder, _ plan.Node) {
		b.Report("some", plan.IsEmpty, false, b.Input("W", true, 0), false)
	}
	for name, c := range map[string]struct {
		model   func(*plan.Builder, plan.Node)
		reader  *event.Path
		visited int
		flagged bool
		wrong   bool
	}{
		"nothing else to tell":      {anything, reads(), 0, false, false},
		"a flag that may be raised": {flag, reads(), 3, true, false},
		"a flag of the program":     {fixed, reads(), 3, true, false},
		"a flag that cannot be":     {empty, reads(), 0, false, false},
		"a flag that is not raised": {never, reads(), 0, false, false},
		"a value out of thin air":   {anything, copies, 4, false, false},
		"no meaning":                {anything, divides, 1, false, true},
	} {
		q := &Query{
			Observe: []final.Observable{{Reg: event.Reg{Thread: 2, Name: "r0"}, Loc: event.NoLoc}}, Want: engine.Verdict,
			Asks: final.Atom{Holds: func(v, _ event.Value) bool { return v == event.Int(7) }},
		}
		p := coherent(c.model)
		e, stats := For(p), Stats{}
		q.Domain = func() []event.Value { return []event.Value{event.Int(5)} }
		e.Begin(q, &stats)
		_, err := e.Explore(engine.NewBudget(engine.Forever), program(writes(1), writes(2), c.reader))
		a := e.Answer()
		flags, _ := p.Raised(a.Raised)
		if stats.Candidates != c.visited || slices.Contains(flags, "some") != c.flagged || (err != nil) != c.wrong {
			t.Errorf("%s: %d candidates, flags %q, %v", name, stats.Candidates, flags, err)
		}
	}
}

// TestSelectionByLocations: what locations hold at the end is known when coherence is, and no state
// comes up that is not wanted.
func TestSelectionByLocations(t *testing.T) {
	q := &Query{
		Observe: []final.Observable{{Reg: event.Reg{Thread: 2, Name: "r0"}, Loc: event.NoLoc}, {Loc: x}}, Want: engine.Verdict,
		Asks: final.Every{
			final.Atom{Holds: func(v, _ event.Value) bool { return v == event.Int(2) }},
			final.Atom{X: 1, Y: 1, Holds: func(v, _ event.Value) bool { return v == event.Int(1) }},
		},
	}
	states, stats, err := ask(t, coherent(anything), q, program(writes(1), writes(2), reads()))
	if !slices.Equal(states, []string{"2 1 × 1"}) || stats.Candidates != 1 || err != nil {
		t.Errorf("states %q, %d candidates, %v", states, stats.Candidates, err)
	}
}

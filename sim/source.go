package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Source returns the place in a C program that an event comes from: in the test itself, or in the
// test that this one is a translation of. ok is false for initial writes, and for tests whose
// threads are columns, where the name of an event shows all of its instruction.
func (t *Test) Source(e *event.Event) (at src.Span, ok bool) {
	_, inC := t.Format.Layout.(litmus.Functions)
	if e.IsInit() || !inC && t.sources == nil {
		return at, false
	}
	at = t.Program.Source(e)
	if inC {
		return at, true
	}
	holds := func(c litmus.Cell) bool { return c.Start <= at.Start && at.Start < c.End }
	row := slices.IndexFunc(t.Threads[e.Thread].Cells, holds)
	return t.sources[e.Thread][row], true
}

// Line returns the line number of the Source of an event, or 0.
func (t *Test) Line(e *event.Event) int {
	if at, ok := t.Source(e); ok {
		return at.Pos().Line
	}
	return 0
}

// Origin is a place in the source and its events. A read-modify-write has two events.
type Origin struct {
	Events []event.ID
	At     src.Span
}

// Origins returns the sources of the events of a violation, in the order in which Steps names them.
func (t *Test) Origins(x *event.Execution, v *cat.Violation) (all []Origin) {
	add := func(e event.ID) {
		at, ok := t.Source(&x.Events[e])
		if !ok {
			return
		}
		i := slices.IndexFunc(all, func(o Origin) bool { return o.At == at })
		if i < 0 {
			i, all = len(all), append(all, Origin{At: at})
		}
		if !slices.Contains(all[i].Events, e) {
			all[i].Events = append(all[i].Events, e)
		}
	}
	for _, s := range v.Steps {
		add(s.From)
		add(s.To)
	}
	for _, e := range v.Events {
		add(e)
	}
	return all
}

// Order is the parts of an expression whose order of evaluation the language leaves unspecified, in
// the order that an execution takes.
type Order struct {
	Thread string
	Parts  []src.Span
}

func (o Order) String() string {
	texts := make([]string, len(o.Parts))
	for i, at := range o.Parts {
		texts[i] = strings.Join(strings.Fields(at.Text()), " ")
	}
	return fmt.Sprintf("%s evaluates %s (line %d)", o.Thread, strings.Join(texts, ", then "), o.Parts[0].Pos().Line)
}

// Orders lists the unspecified orders of evaluation that an execution takes.
func (t *Test) Orders(x *event.Execution) (all []Order) {
	for i, path := range x.Paths {
		for _, chosen := range path.Chosen {
			o := Order{Thread: x.Threads[i].Name}
			for _, instr := range chosen {
				o.Parts = append(o.Parts, t.Program.Source(&event.Event{Thread: i, Instr: instr}))
			}
			all = append(all, o)
		}
	}
	return all
}

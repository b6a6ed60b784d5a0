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

// Source is what an event comes from in a program in C: in that of the test, or in the one that the test is a translation
// of. There is none for initial writes, nor in tests whose threads are columns: there, what an event is called is
// all that its instruction says.
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

// Line is the number of the line that an event comes from (Source); 0 if there is none.
func (t *Test) Line(e *event.Event) int {
	if at, ok := t.Source(e); ok {
		return at.Pos().Line
	}
	return 0
}

// Origin is what some events come from: of a read-modify-write, two.
type Origin struct {
	Events []event.ID
	At     src.Span
}

// Origins is what the events of a violation come from (Source), in the order in which Steps names them.
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

// Order is the parts of an expression that the language evaluates in an unspecified order, in the order that an execution takes.
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

// Orders lists the orders of evaluation that an execution takes and the language leaves unspecified.
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

package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/rel"
)

// Why a model forbids an outcome is shown by candidates that it rejects, the nearer to consistent the better. Where nobody can list what reads may
// return, interleavings are drawn in which one thing goes wrong: a thread does not wait at a barrier once, and hurries on, or a read
// returns what has been overwritten.

// Miss is a candidate execution that does not pass, by the checks of the plan that reject it.
type Miss struct {
	Values  []event.Value // of what the query observes
	Failing []int
	*engine.Witness
}

// Misses draws some candidates of a structure that end as the query asks for, and that some check rejects; each end comes once.
func Misses(b *engine.Budget, p *bounds.Program, q *Query, s *event.Structure) (misses []Miss) {
	if s.Truncated || s.Stuck || asynchronous(s) {
		return nil
	}
	e, d, known := New(p, q), newDrawing(s), map[string]bool{}
	waits, reads := d.slips()
	for i := 0; i < interleavings && b.Err() == nil; i++ {
		slips := waits
		if i%2 == 1 || len(waits) == 0 {
			slips = reads
		}
		if len(slips) == 0 {
			continue
		}
		d.slip = slips[d.random.IntN(len(slips))]
		if d.interleave(); len(d.order) < s.N() {
			continue
		}
		values, ok := d.finals(q.Observe)
		if !ok || known[Key(values)] || !final.Holds(q.Keep, values) || !final.Holds(q.Asks, values) {
			continue
		}
		x := executionOf(b, s, d.rf)
		if x == nil || x.Wrong != nil {
			continue
		}
		if m := e.miss(d, x); m != nil && len(m.Failing) > 0 {
			known[Key(values)], m.Values = true, values
			misses = append(misses, *m)
		}
	}
	return misses
}

// miss is a drawn execution and what rejects it; nil if the model has no order to choose for it.
func (e *Engine) miss(d *drawing, x *event.Execution) *Miss {
	p := e.program.Plan
	m := &Miss{Witness: &engine.Witness{Execution: x, Choices: make([]rel.Rel, len(p.Choices))}}
	b := e.exact(m.Witness, func(b *bounds.Bounds, choice int) rel.Rel { return d.directed(b, &p.Choices[choice]) })
	if !e.ordered(m.Witness) {
		return nil
	}
	for i := range p.Checks {
		if c := &p.Checks[i]; bounds.Holds(c, b.Span(c.X).Lo) == c.Negated {
			m.Failing = append(m.Failing, i)
		}
	}
	return m
}

// noSlip is no event.
const noSlip = -1

// slips are the events at which something may go wrong: where threads wait for others, and where they read.
func (d *drawing) slips() (waits, reads []event.ID) {
	for e := range d.Events {
		ofOthers := func(o event.ID) bool { return d.Events[o].Thread != d.Events[e].Thread }
		switch {
		case slices.ContainsFunc(d.awaits[e], ofOthers):
			waits = append(waits, e)
		case d.Events[e].Kind == event.Read:
			reads = append(reads, e)
		}
	}
	return waits, reads
}

// hurries reports that a thread does not wait for others where it should, or goes on from there.
func (d *drawing) hurries(t int) bool {
	return d.slip != noSlip && d.Events[d.slip].Kind == event.Barrier && d.Events[d.slip].Thread == t && d.next[t] < d.end(t) &&
		(d.next[t] == d.slip || d.next[t] > d.slip && len(d.awaits[d.next[t]]) == 0)
}

// older draws a write that w has overwritten, which has happened last there, unless the thread that reads has written itself since; it is w if
// there is none.
func (d *drawing) older(w event.ID, reader int) event.ID {
	var before []event.ID
	for _, e := range slices.Backward(d.order) {
		if d.Events[e].Kind != event.Write || d.loc[e] != d.loc[w] {
			continue
		}
		if e != w {
			before = append(before, e)
		}
		if d.Events[e].Thread == reader {
			break
		}
	}
	if len(before) == 0 {
		return w
	}
	return before[d.random.IntN(len(before))]
}

// Package sampling is the engine for structures that the other engines know too little about: it
// draws interleavings of the threads at random. What it finds are executions. That it finds none
// proves nothing.
//
//	Engine  draws interleavings of one structure after another
//	Query   what to look for, and whether something is to go wrong in each interleaving
//
// An interleaving is drawn one step of a thread after the other (draw.go), and the model judges it
// as it judges any execution. If a sum races, a few of the interleavings end in a wrong sum.
// Executions that a model rejects are drawn with one slip: a thread does not wait at a barrier
// once, and hurries on, or a read returns what has been overwritten (slip.go).
package sampling

import (
	"fmt"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// Query is what to look for.
type Query struct {
	Observe []final.Observable
	Keep    final.Formula // what a final state that counts satisfies
	Asks    final.Formula // what the state satisfies that is looked for
	Guards  plan.Guards
	// Visit, unless it is nil, is told of executions with one slip that pass the guards and that
	// some check rejects, with the group of that check (plan.Guards.Group). Each final state of a
	// structure comes once. The search ends when Visit returns false.
	Visit func(end []event.Value, group int, w *engine.Witness) bool
}

// Engine draws interleavings of one structure after another, for one query. It belongs to one
// goroutine. Of the reports, it looks for those that make the behaviour undefined.
type Engine struct {
	plan   *plan.Plan
	query  *Query
	answer engine.Answer
}

// New returns an engine for a query.
func New(p *plan.Plan, q *Query) *Engine {
	return &Engine{plan: p, query: q, answer: engine.Answer{Raised: make([]bool, len(p.Reports))}}
}

// Answer returns what was found in all structures that were explored.
func (e *Engine) Answer() *engine.Answer { return &e.answer }

// drawn is how many interleavings of a structure are drawn.
const drawn = 64

// unnumbered is the number of a structure whose place in the program is not known.
const unnumbered = -1

// Explore draws interleavings of structures. A step of the budget is an event. The extent is
// Decided if the query needs no others, Unsupported if a structure never ends, is cut off or has
// asynchronous operations, and else Cut. The error is that of the budget.
func (e *Engine) Explore(b *engine.Budget, structures ...*event.Structure) (engine.Extent, error) {
	for _, s := range structures {
		if s.Truncated || s.Stuck || s.Asynchronous() {
			return engine.Unsupported, nil
		}
		if e.draw(b, s) {
			return engine.Decided, nil
		}
		if err := b.Err(); err != nil {
			return engine.Cut, err
		}
	}
	return engine.Cut, nil
}

// draw draws interleavings of a structure. It reports whether the query is decided.
func (e *Engine) draw(b *engine.Budget, s *event.Structure) (decided bool) {
	d, known := newDrawing(s), map[string]bool{}
	for i := range drawn {
		if !b.Spend(s.N()) {
			return false
		}
		if e.query.Visit != nil && !d.slips(i) {
			continue
		}
		if d.interleave(); len(d.order) < s.N() {
			continue // threads wait for each other
		}
		values, ok := d.finals(e.query.Observe)
		if !ok || known[fmt.Sprint(values)] || !final.Holds(e.query.Keep, values) {
			continue
		}
		if e.query.Visit != nil && !final.Holds(e.query.Asks, values) {
			continue
		}
		c := e.candidate(b, d)
		if c == nil {
			continue
		}
		if e.query.Visit == nil {
			decided = e.take(values, c)
		} else if group, rejected, ok := e.rejects(c); ok && rejected {
			known[fmt.Sprint(values)] = true
			decided = !e.query.Visit(values, group, c.Witness)
		}
		if decided {
			return true
		}
	}
	return false
}

// candidate returns what was drawn as a candidate execution; nil if a computation has no meaning,
// or if a choice of the model is no order then.
func (e *Engine) candidate(b *engine.Budget, d *drawing) *engine.Candidate {
	x := enumerate.Reading(b.Err, d.Structure, d.rf)
	if x == nil || x.Wrong != nil {
		return nil
	}
	c := engine.Choose(e.plan, x, func(v *plan.Values, choice int) rel.Rel {
		return d.directed(v, &e.plan.Choices[choice])
	})
	if !c.Ordered() {
		return nil
	}
	return c
}

// rejects reports whether some check rejects a candidate, and with the group of that check whether
// the candidate passes the guards: checks that must hold, and those of all groups but one, do.
func (e *Engine) rejects(c *engine.Candidate) (group int, rejected, ok bool) {
	for i := range e.plan.Checks {
		if c.Passes(i) {
			continue
		}
		rejected = true
		switch g := e.query.Guards.Of(i); {
		case g == plan.Disabled || g != plan.Required && int(g) == group:
		case g == plan.Required || group != 0:
			return 0, true, false
		default:
			group = int(g)
		}
	}
	return group, rejected, true
}

// take notes the state and the reports of a candidate, if it is consistent. It reports whether the
// query is decided: the behaviour is undefined, or it cannot be and the state was found that is
// looked for.
func (e *Engine) take(values []event.Value, c *engine.Candidate) (decided bool) {
	if _, rejected, _ := e.rejects(c); rejected {
		return false
	}
	a, mayRace := &e.answer, false
	if len(a.States) == 0 && final.Holds(e.query.Asks, values) {
		a.States = append(a.States, engine.NewState(values, engine.Exhibit{Evidence: c.Witness, At: unnumbered}))
	}
	for i, r := range e.plan.Reports {
		if !r.Undefined {
			continue
		}
		mayRace = true
		if c.Raises(i) {
			a.Raised[i], a.Race = true, engine.Exhibit{Evidence: c.Witness, At: unnumbered}
			return true
		}
	}
	return !mayRace && len(a.States) > 0
}

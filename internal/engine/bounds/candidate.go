package bounds

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// Candidate is a candidate execution with the choices that are made for it, and the exact values of
// the plan.
type Candidate struct {
	*engine.Witness
	values *Bounds
}

// Choose completes an execution whose coherence is open. It asks for each choice of the plan, by its
// number, and passes the values that the choice depends on.
func (p *Program) Choose(x *event.Execution, choose func(b *Bounds, choice int) rel.Rel) *Candidate {
	w := &engine.Witness{Execution: x, Choices: make([]rel.Rel, len(p.Plan.Choices))}
	b := New(p, x.N())
	b.Input = func(in plan.Input) {
		if in.Set {
			s, _ := x.Set(in.Name)
			b.Bind(in.Slot, Exact(rel.Identity(s)))
			return
		}
		r, _ := x.Rel(in.Name)
		b.Bind(in.Slot, Exact(r))
	}
	b.Chosen = func(i int) rel.Rel {
		w.Choices[i] = choose(b, i)
		if i == p.Plan.Coherence() {
			x.Co = w.Choices[i]
		}
		return w.Choices[i]
	}
	for i := range p.Plan.Choices {
		b.Span(p.Plan.Choices[i].Slot)
	}
	return &Candidate{w, b}
}

// Ordered reports whether the choices that the model wants to be orders are.
func (c *Candidate) Ordered() bool {
	for i, r := range c.Choices {
		if c.values.Plan.Choices[i].Family != plan.Orientations && !r.Acyclic() {
			return false
		}
	}
	return true
}

// Passes reports whether the candidate passes a check.
func (c *Candidate) Passes(check int) bool {
	of := &c.values.Plan.Checks[check]
	return Holds(of, c.values.Span(of.X).Lo) != of.Negated
}

// Raises reports whether the candidate raises a report.
func (c *Candidate) Raises(report int) bool {
	of := &c.values.Plan.Reports[report]
	return Holds(of, c.values.Span(of.X).Lo) != of.Negated != of.Undefined
}

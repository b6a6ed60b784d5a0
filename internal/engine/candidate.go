package engine

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// Candidate is a candidate execution with the choices that are made for it, and the values of the
// plan.
type Candidate struct {
	*Witness
	plan   *plan.Plan
	values *plan.Values
}

// Choose completes an execution whose coherence is open. It asks for each choice of the plan, by
// its number, and passes the values that the choice depends on.
func Choose(p *plan.Plan, x *event.Execution, choose func(v *plan.Values, choice int) rel.Rel) *Candidate {
	w := &Witness{Execution: x, Choices: make([]rel.Rel, len(p.Choices))}
	v := p.Of(x, func(v *plan.Values, i int) rel.Rel {
		w.Choices[i] = choose(v, i)
		if i == p.Coherence() {
			x.Co = w.Choices[i]
		}
		return w.Choices[i]
	})
	for i := range p.Choices {
		v.Value(p.Choices[i].Slot)
	}
	return &Candidate{w, p, v}
}

// Ordered reports whether the choices that the model wants to be orders are.
func (c *Candidate) Ordered() bool {
	for i, r := range c.Choices {
		if c.plan.Choices[i].Family != plan.Orientations && !r.Acyclic() {
			return false
		}
	}
	return true
}

// Passes reports whether the candidate passes a check.
func (c *Candidate) Passes(check int) bool { return c.values.Passes(&c.plan.Checks[check]) }

// Raises reports whether the candidate raises a report.
func (c *Candidate) Raises(report int) bool {
	of := &c.plan.Reports[report]
	return c.values.Passes(of) != of.Undefined
}

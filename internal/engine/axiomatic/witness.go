package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// witness returns the execution that the solver has found, built from reads-from and the choices.
// It must pass the plan's checks; otherwise witness returns nil and ends the question with
// ErrWrong.
func (q *question) witness() *engine.Witness {
	w := q.found()
	if w == nil || w.Execution.Wrong != nil {
		q.err = ErrWrong
		return nil
	}
	return w
}

// fault returns the error of the meaningless computation in the execution that the solver has
// found. It returns nil if the error does not count: in the prefix of a longer execution, or where
// the model may not cover the structure.
func (q *question) fault() error {
	uncovered := func(c plan.Check) bool { return c.Name == plan.OutsideModel && !q.Span(c.X).Hi.Empty() }
	if q.s.Truncated || q.query.Guards.Lenient() || slices.ContainsFunc(q.Plan.Reports, uncovered) {
		return nil
	}
	if w := q.found(); w != nil {
		return w.Execution.Wrong
	}
	return nil
}

// found returns the execution that the solver has found, or nil if a read has no source or the
// execution is not consistent.
func (q *question) found() *engine.Witness {
	m := q.member()
	if m == nil {
		return nil
	}
	rf := make([]event.ID, m.N())
	for r := range rf {
		rf[r] = -1
		for w := range rf {
			if all := q.rf[m.at[r]]; all != nil && all[m.at[w]] != 0 && q.Value(all[m.at[w]]) {
				rf[r] = w
			}
		}
		if rf[r] < 0 && m.Events[r].Kind == event.Read {
			return nil // a read without a source, because a computation has no meaning
		}
	}
	x := enumerate.Reading(q.budget.Err, m.Structure, rf)
	if x == nil {
		return nil
	}
	return q.judged(x, func(v *plan.Values, choice int) rel.Rel { return q.orders[choice].chosen(v, m) })
}

// member returns the structure whose paths are taken.
func (q *question) member() *member {
	if q.s.family != nil {
		taken := make([]int, len(q.s.paths))
		for t := range taken {
			taken[t] = slices.IndexFunc(q.present.taken[t], q.Value)
		}
		return q.s.memberOf(taken)
	}
	for i := range q.s.members {
		m, taken := &q.s.members[i], true
		for t, which := range m.takes {
			taken = taken && q.Value(q.present.taken[t][which])
		}
		if taken {
			return m
		}
	}
	return nil
}

// judged returns an execution with the choices made for it, or nil if it is inconsistent.
func (e *Engine) judged(x *event.Execution, choose func(v *plan.Values, choice int) rel.Rel) *engine.Witness {
	c := engine.Choose(e.plan, x, choose)
	for i := range e.plan.Checks {
		if e.guards.Of(i) == plan.Required && !c.Passes(i) {
			return nil
		}
	}
	if !c.Ordered() {
		return nil
	}
	return c.Witness
}

// chosen returns the relation of a choice in the solution. v has the values of the choice's
// arguments.
func (o *order) chosen(v *plan.Values, m *member) rel.Rel {
	r := rel.New(m.N())
	first := rel.New(m.N())
	if s := o.choice.Args[0]; s >= 0 {
		first = v.Value(s).Union(v.Value(s).Inverse())
	}
	listed := o.choice.Family == plan.Completions || o.choice.Family == plan.Orientations
	for a := range m.N() {
		for d := range m.N() {
			if l := o.ahead[m.at[a]][m.at[d]]; l != 0 && o.c.Value(l) && (!listed || first.Has(a, d)) {
				r.Add(a, d)
			}
		}
	}
	if o.choice.Family == plan.Completions {
		return r.Union(*v.Value(o.choice.Args[1])).Plus()
	}
	return r
}

// finals returns the final state that the solver has found.
func (q *question) finals() []event.Value {
	values := make([]event.Value, len(q.query.Observe))
	for i := range values {
		d := q.value(i)
		for j, l := range d.lits {
			if q.Value(l) {
				values[i] = d.values[j]
			}
		}
	}
	return values
}

package fast

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/flow"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// grounds finds, by check, the relations of the program that it has no cycle of together with rf.
func grounds(p *plan.Plan) []flow.Causes {
	parts, all := p.Parts(), make([]flow.Causes, len(p.Checks))
	for i := range p.Checks {
		c := &p.Checks[i]
		withRf := slices.ContainsFunc(parts[c.X], func(in plan.Input) bool { return in.Name == "rf" })
		if c.Test != plan.Acyclic || c.Negated || !withRf {
			continue
		}
		for _, in := range parts[c.X] {
			all[i] = append(all[i], in.Name)
		}
	}
	return all
}

// ruledOut returns the relations of a check that a query requires, or nil.
func (e *Engine) ruledOut(q *Query) flow.Causes {
	for i, causes := range e.grounds {
		if causes != nil && q.Guards.Of(i) == plan.Required {
			return causes
		}
	}
	return nil
}

// cannotBe reports that values alone rule out that an execution takes the paths of a structure.
// That pays where a program has many: a few are explored sooner.
func (e *Engine) cannotBe(s *event.Structure) bool {
	const few = 8
	if e.at < few || len(s.Conds) == 0 || len(s.Paths) == 0 || e.causes == nil {
		return false
	}
	if e.flow == nil {
		e.flow = flow.New(s.Locs, e.causes)
	}
	return !e.flow.Possible(s.Paths)
}

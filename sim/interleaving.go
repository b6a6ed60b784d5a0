package sim

import (
	"context"
	"errors"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/bounds"
	"github.com/muster-gpu/muster/internal/interleave"
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/rel"
)

// fewEvents are so few that the fast engine is as quick as counting interleavings.
const fewEvents = 24

// worthInterleaving reports that interleavings are to be counted, if the test turns out to be one of one location.
func (t *Test) worthInterleaving() bool {
	return t.config.Engine == Fast && t.config.Limits.MaxCandidates == 0 && t.Program.MaxEvents() > fewEvents
}

// interleaves has the interleavings of a test of one location counted, whatever is asked. It returns false if it
// is not such a test, or not known to be one: then r is as it was.
func (t *Test) interleaves(ctx context.Context, m *cat.Model, r *Result) (done bool, err error) {
	p, _ := t.plan(m)
	if p == nil {
		return false, nil
	}
	all := &interleavings{program: bounds.NewProgram(p), raised: make([]bool, len(p.Reports)), table: map[string]int{}}
	var stats solve.Stats
	for s, err := range t.Program.Structures(ctx) {
		if err == nil {
			stats.Structures++
			err = all.add(ctx, t, m, s)
		}
		switch {
		case errors.Is(err, interleave.ErrBeyond):
			return false, nil
		case err != nil:
			return true, t.failure(ctx, err)
		}
	}
	stats.Truncated = all.truncated
	for i := range all.states {
		s := &all.states[i]
		stats.Counted = solve.Add(stats.Counted, s.Count)
		if t.config.Effort != solve.Counts {
			s.Count = 1
		}
	}
	r.States = all.states
	r.sum()
	r.conclude(p, all.answer(p), &stats)
	return true, nil
}

// interleavings are the states of a test.
type interleavings struct {
	program   *bounds.Program
	states    []StateCount
	table     map[string]int // where in states each is
	raised    []bool
	truncated int
}

// add adds the states of a structure.
func (all *interleavings) add(ctx context.Context, t *Test, m *cat.Model, s *event.Structure) error {
	refs := t.Observables()
	a, err := interleave.Explore(ctx, all.program, s, t.Query().Observe)
	if err != nil {
		return err
	}
	if s.Truncated {
		all.truncated += len(a.States)
		return nil
	}
	kept := false
	for _, found := range a.States {
		state := t.state(found.Values)
		if t.filter != nil && !t.filter.Eval(state.Lookup(refs)) {
			continue
		}
		kept = true
		key := state.Format(refs)
		i, known := all.table[key]
		if !known {
			i, all.table[key] = len(all.states), len(all.states)
			all.states = append(all.states, StateCount{
				State: state, Satisfies: t.prop.Eval(state.Lookup(refs)),
				witness: func() *Witness { return inOrder(m, all.program.Plan, found.Witness()) },
			})
		}
		all.states[i].Count = solve.Add(all.states[i].Count, found.Count)
	}
	for i, raised := range a.Raised {
		all.raised[i] = all.raised[i] || kept && raised
	}
	return nil
}

// answer is what is said of the structures besides their states.
func (all *interleavings) answer(p *plan.Plan) *solve.Answer {
	a := &solve.Answer{}
	for i, raised := range all.raised {
		switch report := &p.Reports[i]; {
		case !raised:
		case report.Undefined:
			a.Undefined = append(a.Undefined, report.Name)
		default:
			a.Flags = append(a.Flags, report.Name)
		}
	}
	return a
}

// inOrder is an execution in full. Whatever the model chooses but coherence is empty.
func inOrder(m *cat.Model, p *plan.Plan, x *event.Execution) *Witness {
	full := &Witness{Execution: x}
	for _, c := range p.Choices {
		chosen := rel.New(x.N())
		if c.Name == "co" {
			chosen = x.Co
		}
		if m.Chooses(c.Name) {
			full.Choices = append(full.Choices, cat.ChooseRel(c.Name, chosen))
		}
	}
	return full
}

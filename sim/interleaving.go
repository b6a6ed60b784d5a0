package sim

import (
	"context"
	"errors"
	"slices"

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

// hasteOfInterleaving is how many steps from point to point are tried where counts are not wanted: a twentieth of a second. Twenty readers
// come to more points than anybody counts, and the learning engine finds their states at once.
const hasteOfInterleaving = 1 << 17

// mostPoints is how many points of the interleavings of a structure are told apart at most.
func (t *Test) mostPoints(s *event.Structure) int {
	if t.config.Effort == solve.Counts {
		return interleave.MostPoints
	}
	return hasteOfInterleaving / max(len(s.Threads), 1)
}

// interleaves has the interleavings of a test of one location counted, whatever is asked. It returns false if it
// is not such a test, or not known to be one: then r is as it was.
func (t *Test) interleaves(ctx context.Context, m *cat.Model, r *Result) (done bool, err error) {
	p, _ := t.plan(m)
	if p == nil || t.Program.Combinations() >= manyCombinations {
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
	a, err := interleave.Explore(ctx, all.program, s, t.wanted().observe, t.mostPoints(s))
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
				Satisfies: t.prop.Eval(state.Lookup(refs)),
				ending:    &told{state, func() *Witness { return inOrder(m, all.program.Plan, found.Witness()) }},
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
	raise(p, all.raised, a)
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

const (
	// manyAtomics are so many atomics on one location that its final values are found by interleaving, whatever else there is.
	manyAtomics = 12
	// manyWays are more ways in which they can take effect than the fast engine visits within a few seconds.
	manyWays = 5_000
)

// worthAdding reports that the test may have locations with many atomics.
func (t *Test) worthAdding() bool {
	return t.config.Engine != Naive && t.Program.MaxEvents() > fewEvents
}

// lasts tells which final values locations with many atomics can have, for the learning engine.
func (t *Test) lasts(ctx context.Context, p *bounds.Program) func(*event.Structure, event.Loc) ([]event.Value, bool) {
	return func(s *event.Structure, l event.Loc) ([]event.Value, bool) {
		if !slices.Contains(counters(s), l) {
			return nil, false
		}
		values, _, err := interleave.Lasts(ctx, p, s, l)
		return values, err == nil
	}
}

// countless reports that the test has so many consistent executions that nobody can count them: its threads have too many combinations of
// paths, or on one of its locations atomics alone can take effect in too many ways, and other locations have no part in that.
func (t *Test) countless(ctx context.Context, p *plan.Plan) bool {
	if f := manyPaths(ctx, t.Program); f != nil && f.Len() >= manyCombinations {
		return true
	}
	if !t.worthAdding() {
		return false
	}
	program := bounds.NewProgram(p)
	for s, err := range t.Program.Structures(ctx) {
		if err != nil {
			return false
		}
		for _, l := range counters(s) {
			if _, ways, err := interleave.Lasts(ctx, program, s, l); err == nil && ways > manyWays {
				return true
			}
		}
	}
	return false
}

// counters lists the locations of a structure with many atomics.
func counters(s *event.Structure) (all []event.Loc) {
	atomics := map[event.Loc]int{}
	for r := range s.Rmw.Domain().All() {
		if address, sure := s.Events[r].Addr.(event.Const); sure {
			if l, err := event.Resolve(s.Locs, event.Value(address)); err == nil {
				atomics[l]++
			}
		}
	}
	for l, n := range atomics {
		if n >= manyAtomics {
			all = append(all, l)
		}
	}
	return all
}

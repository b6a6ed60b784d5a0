package sim

import (
	"context"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/interleaving"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// fewEvents are so few that the fast engine is as quick as counting interleavings.
const fewEvents = 24

// hasteOfInterleaving is how many steps from point to point are tried where counts are not wanted: a twentieth of a second. Twenty readers
// come to more points than anybody counts, and the learning engine finds their states at once.
const hasteOfInterleaving = 1 << 17

// mostPoints is how many points of the interleavings of a structure are told apart at most.
func (t *Test) mostPoints(s *event.Structure) int {
	if t.config.Want == Counts {
		return interleaving.MostPoints
	}
	return hasteOfInterleaving / max(len(s.Threads), 1)
}

// interleaves counts the interleavings of a test of one location, whatever is asked. The extent is
// Unsupported if the test has other locations, or if its executions are not known to be interleavings.
func (t *Test) interleaves(ctx context.Context, m *cat.Model, p *plan.Plan, r *Result) (engine.Extent, error) {
	if t.Program.Combinations() >= manyCombinations {
		return engine.Unsupported, nil
	}
	q := t.Query()
	query, b := &interleaving.Query{Observe: q.Observe, Keep: q.Keep}, engine.NewBudget(ctx.Err)
	var stats fast.Stats
	var answers []*engine.Answer
	for s, err := range t.Program.Structures(ctx) {
		var a *engine.Answer
		far := engine.Cut
		if err == nil {
			query.MostPoints = t.mostPoints(s)
			a, far, err = interleaving.Explore(b, p, query, stats.Structures, s)
			stats.Structures++
		}
		switch {
		case err != nil:
			return engine.Cut, t.failure(ctx, err)
		case far != engine.Done:
			return far, nil
		case s.Truncated:
			stats.Truncated += len(a.States)
		default:
			stats.Counted = engine.Add(stats.Counted, t.tally(a.States))
			answers = append(answers, a)
		}
	}
	r.conclude(&words{t, m, p, q.Asks}, engine.Merge(t.config.Want == Counts, answers...), &stats)
	return engine.Done, nil
}

// tally returns how many executions end in the states of a structure. Unless counts are wanted, each
// state counts once from now on.
func (t *Test) tally(states []*engine.State) (executions int) {
	for _, s := range states {
		executions = engine.Add(executions, s.Count)
		if t.config.Want != Counts {
			s.Count = 1
		}
	}
	return executions
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
func (t *Test) lasts(b *engine.Budget, p *plan.Plan) func(*event.Structure, event.Loc) ([]event.Value, bool) {
	return func(s *event.Structure, l event.Loc) ([]event.Value, bool) {
		if !slices.Contains(counters(s), l) {
			return nil, false
		}
		values, _, known := interleaving.Lasts(b, p, s, l)
		return values, known
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
	b := engine.NewBudget(ctx.Err)
	for s, err := range t.Program.Structures(ctx) {
		if err != nil {
			return false
		}
		for _, l := range counters(s) {
			if _, ways, known := interleaving.Lasts(b, p, s, l); known && ways > manyWays {
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

package sim

import (
	"context"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
)

// AtOnce returns a pool of cores that a test may use after a single run of the plan.
func AtOnce(cores int) *Cores {
	c := NewCores(cores)
	c.after = 1
	return c
}

// Interleaving returns the result of a test by its interleavings, or nil if it may have other
// executions.
func (t *Test) Interleaving(ctx context.Context, m *cat.Model) (*Result, error) {
	w, r := t.question().under(m), &Result{Test: t}
	if w.plan == nil {
		return nil, nil
	}
	h := &hybrid{ctx: ctx, means: w, query: w.ask.fast(), budget: engine.NewBudget(ctx.Err)}
	h.fast = newHelped(w.plan, h.query, &h.stats, nil, nil)
	defer h.fast.first.Release()
	for s, err := range t.Program.Structures(ctx) {
		if err != nil {
			return nil, err
		}
		if far, err := h.interleaves(mostCounted, s); far != engine.Done || err != nil {
			return nil, err
		}
	}
	r.conclude(&words{t, m, w.plan, h.query.Asks}, engine.Merge(true, h.others...), &h.stats)
	r.Limit = t.cutShort(ctx, nil, &r.Stats)
	return r, nil
}

// CountWithin counts executions with bounds on the steps until states come first, and on all steps.
// It reports whether these were enough, at least for states.
func (t *Test) CountWithin(ctx context.Context, m *cat.Model, few, most int) (r *Result, answered bool, err error) {
	r = &Result{Test: t}
	far, err := t.question().under(m).countsWithin(ctx, few, most, r)
	return r, far.Answered(), err
}

// Next returns the names of the engines that explore a structure, in order, if none of them has an
// answer.
func Next(want Want, shows, candidates bool, slice int, s *event.Structure) (names []string) {
	h := history{want: want, shows: shows, candidates: candidates, slice: slice}
	for {
		by, _ := next(h, s)
		if by == byNone || by == h.last {
			return names
		}
		var once turns
		once[by] = 1
		names = append(names, once.named()[0].By)
		h.last = by
	}
}

// Polls returns the instruction that writes in each iteration of a loop that was cut off.
func (t *Test) Polls(ctx context.Context) string { return t.polls(ctx) }

// Attempts returns the names of the ways to answer that Run tries, in order.
func Attempts(t *Test, m *cat.Model) (names []string) {
	for _, a := range t.question().under(m).attempts() {
		names = append(names, a.name)
	}
	return names
}

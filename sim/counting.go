package sim

import (
	"context"

	"github.com/muster-gpu/muster/internal/engine"
)

// counting is a search that counts executions. If it takes long, it finds the states first, because
// there may be too many executions to count.
type counting struct {
	ctx    context.Context
	means  means
	pool   *engine.Pool   // the steps of all engines together
	budget *engine.Budget // of the first engine
	few    int            // steps after which the states come first
	// states have been searched; also true for a big test, whose states another attempt finds
	asked  bool
	states *Result // the states without counts, or nil
}

// counts counts the executions in a bounded number of steps. If these do not suffice, it returns
// the states without counts, or Cut if the states were not found either.
func (w means) counts(ctx context.Context, r *Result) (engine.Extent, error) {
	return w.countsWithin(ctx, fewToCount, mostCounted, r)
}

// countsWithin is counts with other bounds: few on the steps until states come first, most on all
// steps.
func (w means) countsWithin(ctx context.Context, few, most int, r *Result) (engine.Extent, error) {
	c := &counting{ctx: ctx, means: w, pool: engine.NewPool(most), few: few, asked: w.ask.test.big()}
	c.budget = c.pool.Budget(c.interrupt)
	far, err := w.hybrid(ctx, c.budget, func() *engine.Budget { return c.pool.Budget(ctx.Err) }, r)
	if c.states != nil && !far.Answered() && (err == nil || IsLimit(err)) {
		c.states.Work.Steps += r.Work.Steps
		*r = *c.states
		return engine.Done, nil
	}
	return far, err
}

// interrupt is called regularly while executions are counted. After few steps it finds the states,
// once.
func (c *counting) interrupt() error {
	if c.budget != nil && !c.asked && c.budget.Spent() > c.few {
		c.asked = true
		c.findStates()
	}
	return c.ctx.Err()
}

// findStates finds the states in a bounded number of steps. It ends the count if there are too many
// executions.
func (c *counting) findStates() {
	w, r := c.means, &Result{Test: c.means.ask.test, Uncounted: true}
	w.ask.want = States
	if far, err := w.hybrid(c.ctx, engine.NewBudget(c.ctx.Err).Slice(mostForStates), nil, r); far.Answered() && err == nil {
		c.states = r
	}
	if w.ask.countless(c.ctx, w.plan) {
		c.pool.Close()
	}
}

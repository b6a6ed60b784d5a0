package sim

import (
	"context"

	"github.com/muster-gpu/muster/internal/engine"
)

// counting is a search that counts executions, which may be too many. If it takes long, states are found first.
type counting struct {
	ctx    context.Context
	means  means
	pool   *engine.Pool   // the steps of all engines together
	budget *engine.Budget // of the first engine
	few    int            // steps, until states come first
	asked  bool           // for states; of a big test, others are asked that cannot count
	states *Result        // that are known, without counts; nil if they are not
}

// counts counts the executions in a bounded number of steps. If these are too few, the result has the states
// without counts, or the extent is Cut: then the states have not been found yet.
func (w means) counts(ctx context.Context, r *Result) (engine.Extent, error) {
	return w.countsWithin(ctx, fewToCount, mostCounted, r)
}

// countsWithin is counts with other bounds: on the steps until states come first, and on all.
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

// interrupt is called again and again while executions are counted. Once, it finds the states.
func (c *counting) interrupt() error {
	if c.budget != nil && !c.asked && c.budget.Spent() > c.few {
		c.asked = true
		c.findStates()
	}
	return c.ctx.Err()
}

// findStates finds the states, in a bounded number of steps, and ends the count if it is in vain.
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

package sim

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
)

// waits adds to the number of structures that wait for the learning engine. more may be negative.
func (h *hybrid) waits(more int) {
	h.means.ask.test.config.progress.waits(int(h.open.Add(int64(more))))
}

// askAbout asks the learning engine about structures, in one query if possible. The fast engine
// explores the structures that the learning engine does not support.
func (h *hybrid) askAbout(batch []*event.Structure) (engine.Extent, error) {
	if len(batch) == 0 {
		return engine.Done, nil
	}
	a := &asking{hybrid: h, engine: h.learning()}
	far, err := a.about(h.budget, batch)
	if a.sampled != nil {
		h.others = append(h.others, a.sampled)
	}
	h.stats.Structures += a.answered
	h.left += a.answered
	for _, s := range a.beyond {
		if far == engine.Done && err == nil {
			h.turns[byFastAlone]++
			far, err = h.fast.divide(h.budget, s)
			h.waits(-1)
		}
	}
	return far, err
}

// askFamily asks the learning engine about all structures as a family.
func (h *hybrid) askFamily(f *event.Family) (far engine.Extent, err error) {
	e := h.learning()
	for _, of := range []axiomatic.Fate{axiomatic.Ending, axiomatic.Endless, axiomatic.CutOff} {
		if far, err = e.ExploreFamily(h.budget, f, of); far != engine.Done || err != nil {
			break
		}
	}
	if h.unanswered(far, err) {
		return far, err
	}
	h.stats.Structures = h.means.ask.program.Combinations()
	h.left = h.stats.Structures
	for _, q := range []*queue{&h.whole, &h.stuck, &h.cut} {
		h.waits(-len(q.waiting))
		q.waiting = nil
	}
	return far, err
}

// learning returns the learning engine. It makes it on the first call.
func (h *hybrid) learning() *axiomatic.Engine {
	if h.learn == nil {
		h.learn = axiomatic.New(h.means.plan, h.asks())
	}
	return h.learn
}

// unanswered reports whether another engine must explore, because the learning engine has no
// answer. It also reports true if the learning engine made a mistake (ErrWrong) and the fast engine
// takes part in the search.
func (h *hybrid) unanswered(far engine.Extent, err error) bool {
	if errors.Is(err, axiomatic.ErrWrong) {
		return h.slice > 0
	}
	return err == nil && !far.Answered()
}

// asking is a query to the learning engine about structures, and its result.
type asking struct {
	*hybrid
	engine   *axiomatic.Engine
	answered int                // the number of structures
	beyond   []*event.Structure // structures that the engine does not support
	sampled  *engine.Answer     // the deciding answer of the sampling engine, or nil
}

// about asks about structures together. If that has no answer, it asks about each half.
func (a *asking) about(b *engine.Budget, batch []*event.Structure) (engine.Extent, error) {
	far, err := a.engine.Explore(b, batch...)
	switch {
	case !a.unanswered(far, err):
		if err == nil {
			a.waits(-len(batch))
			a.answered += len(batch)
		}
		return far, err
	case len(batch) > 1:
		return a.halves(b, batch[:len(batch)/2], batch[len(batch)/2:])
	}
	so := a.history()
	so.last = byLearning
	switch by, _ := next(so, batch[0]); by {
	case byFastAlone:
		a.beyond = append(a.beyond, batch[0])
		return engine.Done, nil
	case bySampling:
		if a.sampled = a.samples(b, batch[0]); a.sampled != nil {
			return engine.Decided, nil
		}
	}
	return far, err
}

// halves asks about the two halves: in parallel if only a verdict is wanted and a core is free,
// else one after the other. If states are wanted, the second query excludes the states of the
// first.
func (a *asking) halves(b *engine.Budget, first, second []*event.Structure) (engine.Extent, error) {
	if a.query.Want != engine.Verdict || !a.cores.another() {
		if far, err := a.about(b, first); far != engine.Done || err != nil {
			return far, err
		}
		return a.about(b, second)
	}
	aside := &asking{hybrid: a.hybrid, engine: a.engine.Fork()}
	type answer struct {
		far engine.Extent
		err error
	}
	asked := make(chan answer)
	var decided atomic.Bool // the first half has settled the question
	go func() {
		defer a.cores.give()
		far, err := aside.about(engine.NewBudget(func() error {
			if decided.Load() {
				return context.Canceled
			}
			return a.ctx.Err()
		}), second)
		asked <- answer{far, err}
	}()
	far, err := a.about(b, first)
	decided.Store(far != engine.Done || err != nil)
	if then := <-asked; far == engine.Done && err == nil {
		a.engine.Join(aside.engine)
		a.answered += aside.answered
		a.sampled = aside.sampled
		a.beyond = append(a.beyond, aside.beyond...)
		far, err = then.far, then.err
	}
	return far, err
}

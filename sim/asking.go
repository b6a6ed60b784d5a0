package sim

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
)

// waits notes that more structures wait, or fewer.
func (h *hybrid) waits(more int) {
	h.means.ask.test.config.progress.waits(int(h.open.Add(int64(more))))
}

// askAbout asks the learning engine about structures, together if it can, and has the fast one explore what
// that does not know enough for.
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

// askFamily asks the learning engine about all structures.
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

// learning is the learning engine.
func (h *hybrid) learning() *axiomatic.Engine {
	if h.learn == nil {
		h.learn = axiomatic.New(h.means.plan, h.asks())
	}
	return h.learn
}

// unanswered reports whether the learning engine has no answer, so that another engine must look. A
// mistake of it is covered up where the fast engine takes part in the search.
func (h *hybrid) unanswered(far engine.Extent, err error) bool {
	if errors.Is(err, axiomatic.ErrWrong) {
		return h.slice > 0
	}
	return err == nil && !far.Answered()
}

// asking is what became of questions about structures.
type asking struct {
	*hybrid
	engine   *axiomatic.Engine
	answered int                // structures
	beyond   []*event.Structure // of which the engine does not know enough
	sampled  *engine.Answer     // of the sampling engine, if that has decided the question; else nil
}

// about asks about structures, and about halves of them if they cannot be asked about together.
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

// halves asks about one half after the other, or at the same time if a core is free. Where states are wanted, what is asked about one
// depends on what was found of the other.
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
	var decided atomic.Bool // by the first half
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

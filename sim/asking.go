package sim

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/bounds"
	"github.com/muster-gpu/muster/internal/learn"
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/internal/solve"
)

// waits notes that more structures wait, or fewer.
func (h *hybrid) waits(more int) { h.test.config.progress.waits(int(h.open.Add(int64(more)))) }

// ask asks the learning engine about structures, together if it can, and has the fast one explore what that does not know enough
// for. It returns false if enough is known.
func (h *hybrid) ask(batch []*event.Structure) (more bool, err error) {
	if len(batch) == 0 {
		return true, nil
	}
	a := &asking{hybrid: h, engine: h.learning()}
	more, err = a.about(h.ctx, batch)
	h.stats.Structures += a.answered
	h.left += a.answered
	before := h.query.Patience
	h.query.Patience = 0
	for _, s := range a.beyond {
		if more && err == nil {
			more = h.help.divide(h.fast, s)
			h.waits(-1)
		}
	}
	h.query.Patience = before
	return more, err
}

// manyPaths is the structures of a program, if they are so many that they should not be listed, but asked about together; else nil.
func manyPaths(ctx context.Context, p frontend.Program) *event.Family {
	if p.Combinations() < manyCombinations {
		return nil
	}
	return p.Family(ctx)
}

// askFamily asks the learning engine about all structures. It is not known that enough is known, or that there is no more, if the engine
// does not know enough.
func (h *hybrid) askFamily(f *event.Family) (known, more bool, err error) {
	e := h.learning()
	more = true
	for _, of := range []learn.Extent{learn.Ending, learn.Endless, learn.CutOff} {
		if more, err = e.ExploreFamily(h.ctx, f, of); !more || err != nil {
			break
		}
	}
	if h.unanswered(err) {
		return false, true, nil
	}
	h.stats.Structures = h.test.Program.Combinations()
	h.left = h.stats.Structures
	for _, q := range []*queue{&h.whole, &h.stuck, &h.cut} {
		h.waits(-len(q.waiting))
		q.waiting = nil
	}
	return true, more, err
}

// learning is the learning engine.
func (h *hybrid) learning() *learn.Engine {
	if h.learn == nil {
		h.learn = learn.New(bounds.NewProgram(h.plan), h.asks())
	}
	return h.learn
}

// unanswered reports that an error of the learning engine says no more than that it has no answer, and another has one.
func (h *hybrid) unanswered(err error) bool {
	return errors.Is(err, learn.ErrBeyond) || errors.Is(err, learn.ErrMany) || errors.Is(err, learn.ErrWrong) && h.query.Patience > 0
}

// asking is what became of questions about structures.
type asking struct {
	*hybrid
	engine   *learn.Engine
	answered int                // structures
	beyond   []*event.Structure // of which the engine does not know enough
}

// about asks about structures, and of halves of them if they cannot be asked about together. It returns false if enough is known.
func (a *asking) about(ctx context.Context, batch []*event.Structure) (more bool, err error) {
	more, err = a.engine.Explore(ctx, batch...)
	switch {
	case err == nil:
		a.waits(-len(batch))
		a.answered += len(batch)
		return more, nil
	case a.unanswered(err) && len(batch) > 1:
		return a.halves(ctx, batch[:len(batch)/2], batch[len(batch)/2:])
	case a.unanswered(err) && batch[0].N() <= plan.MaxEvents:
		a.beyond = append(a.beyond, batch[0])
		return true, nil
	case a.unanswered(err) && !a.engine.Draw(ctx, batch[0]):
		return false, nil
	}
	return more, err
}

// halves asks about one half after the other, or at the same time if a core is free. Where states are wanted, what is asked about one
// depends on what was found of the other.
func (a *asking) halves(ctx context.Context, first, second []*event.Structure) (more bool, err error) {
	if a.query.Effort != solve.Quick || !a.cores.another() {
		if more, err = a.about(ctx, first); !more || err != nil {
			return more, err
		}
		return a.about(ctx, second)
	}
	aside, stopping := &asking{hybrid: a.hybrid, engine: a.engine.Fork()}, &stoppable{Context: ctx}
	type answer struct {
		more bool
		err  error
	}
	asked := make(chan answer)
	go func() {
		defer a.cores.give()
		more, err := aside.about(stopping, second)
		asked <- answer{more, err}
	}()
	more, err = a.about(ctx, first)
	stopping.stopped.Store(!more || err != nil)
	if then := <-asked; more && err == nil {
		a.engine.Join(aside.engine)
		a.answered += aside.answered
		a.beyond = append(a.beyond, aside.beyond...)
		more, err = then.more, then.err
	}
	return more, err
}

// stoppable is a context that ends when nobody needs an answer any more. Engines ask it for its error.
type stoppable struct {
	context.Context
	stopped atomic.Bool
}

func (s *stoppable) Err() error {
	if s.stopped.Load() {
		return context.Canceled
	}
	return s.Context.Err()
}

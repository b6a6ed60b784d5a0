package sim

import (
	"context"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/internal/solve"
)

// waitingForHelp is how many pieces may wait for helpers.
const waitingForHelp = 64

// helped is a search of the fast engine whose structures, or parts of a structure, others may explore, on cores that are free. All are
// asked the same, and what they find adds up, so that it is no matter who explores what.
type helped struct {
	ctx   context.Context
	plan  *plan.Plan
	query *solve.Query
	cores *Cores
	next  int // the number of the next piece
	all   sync.WaitGroup

	mu      sync.Mutex
	waiting []piece
	busy    int       // helpers that have a core
	idle    []*helper // those that have none
	gone    []*helper // those that ended in an error
	failed  int       // the number of the first piece that did
	err     error
}

// piece is a structure, or a part of one.
type piece struct {
	numbered
	part int // solve.Whole, or which part
}

// helper is an engine that explores pieces while there are any and it has a core.
type helper struct {
	engine *solve.Engine
	stats  solve.Stats
}

// newHelped is a search with the cores that are free, unless a verdict is all that is wanted: then what one engine finds is of matter to
// the others.
func newHelped(ctx context.Context, p *plan.Plan, q *solve.Query, cores *Cores) *helped {
	if q.Effort == solve.Quick || q.Visit != nil || q.MaxCandidates > 0 || q.MaxSteps > 0 {
		cores = nil
	}
	return &helped{ctx: ctx, plan: p, query: q, cores: cores}
}

// explore has the first engine explore a structure, or leaves it to others. It returns false when nothing more is to be found. A
// structure that is the only one of its test is divided if it takes long.
func (h *helped) explore(e *solve.Engine, stats *solve.Stats, s *event.Structure, alone bool) bool {
	switch {
	case h.cores == nil || s.Truncated: // of those that are truncated, one that can happen is enough
		return h.piece(e, s, solve.Whole)
	case stats.Steps >= h.cores.after:
		return h.share(e, s, solve.Whole)
	case !alone || h.next > 0:
		return h.piece(e, s, solve.Whole)
	}
	hasty := *h.query
	hasty.Patience = h.cores.after
	e.Begin(h.ctx, &hasty, stats)
	more := e.Explore(s)
	if !e.GaveUp() {
		h.next++
		hasty.Patience = 0 // if threads can meet in other ways, too
		return more
	}
	*stats = solve.Stats{}
	e.Begin(h.ctx, h.query, stats)
	return h.divide(e, s)
}

// divide has the parts of a structure explored that takes long.
func (h *helped) divide(e *solve.Engine, s *event.Structure) (more bool) {
	if h.cores == nil || s.Truncated {
		return h.piece(e, s, solve.Whole)
	}
	more = true
	for part := range e.Parts(s) {
		more = more && h.share(e, s.Apart(), part)
	}
	return more
}

// piece has the first engine explore a piece.
func (h *helped) piece(e *solve.Engine, s *event.Structure, part int) bool {
	if h.over(h.next) {
		return false
	}
	h.next++
	return e.ExplorePart(h.next-1, part, s)
}

// share leaves a piece to helpers, or to the first engine if there are none.
func (h *helped) share(e *solve.Engine, s *event.Structure, part int) bool {
	if h.give(piece{numbered{s, h.next}, part}) {
		h.next++
		return true
	}
	return h.piece(e, s, part)
}

// give leaves a piece to helpers, if there are any who are not busy for long, or a core for one.
func (h *helped) give(x piece) bool {
	another := h.cores.another()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !another && (h.busy == 0 || len(h.waiting) >= waitingForHelp) {
		return false
	}
	h.waiting = append(h.waiting, x)
	if another {
		h.busy++
		h.all.Go(func() {
			defer h.cores.give()
			h.help(h.cores.wanted)
		})
	}
	return true
}

// help explores pieces until none is waiting, or somebody wants the core: nobody has a core who has nothing to do.
func (h *helped) help(wanted func() bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.busy-- }()
	w := h.helper()
	for !wanted() && len(h.waiting) > 0 {
		x := h.waiting[0]
		h.waiting = h.waiting[1:]
		if h.err != nil && h.failed < x.i {
			continue
		}
		h.mu.Unlock()
		more := w.engine.ExplorePart(x.i, x.part, x.Structure)
		h.mu.Lock()
		if !more {
			h.fail(w, x.i)
			return
		}
	}
	h.idle = append(h.idle, w)
}

// helps has the first engine's core help with what is waiting, if anything is.
func (h *helped) helps() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		return false
	}
	h.busy++
	return true
}

// helper is one that is idle, or a new one.
func (h *helped) helper() *helper {
	if last := len(h.idle) - 1; last >= 0 {
		w := h.idle[last]
		h.idle = h.idle[:last]
		return w
	}
	w := &helper{engine: solve.For(h.plan)}
	w.engine.Begin(h.ctx, h.query, &w.stats)
	return w
}

// fail notes that a helper has ended with a piece.
func (h *helped) fail(w *helper, number int) {
	if _, err := w.engine.Answer(); err != nil && (h.err == nil || number < h.failed) {
		h.err, h.failed = err, number
	}
	h.gone = append(h.gone, w)
}

// over reports that an error comes before a piece.
func (h *helped) over(number int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err != nil && h.failed < number
}

// end waits for all pieces, and adds what was found to what the first engine has. err is what stopped that one.
func (h *helped) end(a *engine.Answer, stats *solve.Stats, err error) (*engine.Answer, error) {
	if h.helps() {
		h.help(func() bool { return false })
	}
	h.all.Wait()
	answers := []*engine.Answer{a}
	for _, w := range slices.Concat(h.idle, h.gone) {
		found, _ := w.engine.Answer()
		answers = append(answers, found)
		stats.Merge(&w.stats)
		w.engine.Release()
	}
	if h.err != nil && (err == nil || h.failed < h.next-1) {
		err = h.err
	}
	return engine.Merge(h.query.Effort == solve.Counts, answers...), err
}

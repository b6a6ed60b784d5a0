package sim

import (
	"context"
	"sync"

	"github.com/muster-gpu/muster/event"
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
	next  int        // the number of the next piece
	work  chan piece // nil until there are helpers
	all   sync.WaitGroup

	mu      sync.Mutex
	helpers int
	answers []*solve.Answer
	stats   []*solve.Stats
	failed  int // the number of the first piece that ended in an error
	err     error
}

// piece is a structure, or a part of one.
type piece struct {
	numbered
	part int // solve.Whole, or which part
}

func newHelped(ctx context.Context, p *plan.Plan, q *solve.Query, cores *Cores) *helped {
	if q.Effort != solve.Counts || q.MaxCandidates > 0 || q.MaxSteps > 0 {
		cores = nil // what one engine finds is of matter to the others
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
	for part := range e.Parts(s) {
		if !h.share(e, s.Apart(), part) {
			return false
		}
	}
	return true
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

// give leaves a piece to helpers, if there are any who are not busy for long.
func (h *helped) give(x piece) bool {
	if h.cores.another() {
		if h.work == nil {
			h.work = make(chan piece, waitingForHelp)
		}
		h.mu.Lock()
		h.helpers++
		h.mu.Unlock()
		h.all.Go(func() {
			defer h.cores.give()
			h.help(h.cores.wanted)
		})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.helpers == 0 {
		return false
	}
	select {
	case h.work <- x:
		return true
	default:
		return false
	}
}

// help explores pieces until there are no more, or somebody wants the core.
func (h *helped) help(wanted func() bool) {
	e := solve.For(h.plan)
	defer e.Release()
	stats := &solve.Stats{}
	e.Begin(h.ctx, h.query, stats)
	last, more := 0, true
	for more && !wanted() {
		x, ok := <-h.work
		if !ok {
			break
		}
		if last = x.i; !h.over(x.i) {
			more = e.ExplorePart(x.i, x.part, x.Structure)
		}
	}
	a, err := e.Answer()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.helpers--
	h.answers, h.stats = append(h.answers, a), append(h.stats, stats)
	if err != nil && (h.err == nil || last < h.failed) {
		h.err, h.failed = err, last
	}
}

// over reports that an error comes before a piece.
func (h *helped) over(number int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err != nil && h.failed < number
}

// end waits for all pieces, and adds what was found to what the first engine has. err is what stopped that one.
func (h *helped) end(a *solve.Answer, stats *solve.Stats, err error) (*solve.Answer, error) {
	if h.work == nil {
		return a, err
	}
	close(h.work)
	if len(h.work) > 0 {
		h.mu.Lock()
		h.helpers++
		h.mu.Unlock()
		h.help(func() bool { return false })
	}
	h.all.Wait()
	for _, s := range h.stats {
		stats.Merge(s)
	}
	if h.err != nil && (err == nil || h.failed < h.next-1) {
		err = h.err
	}
	return solve.Merge(append([]*solve.Answer{a}, h.answers...)...), err
}

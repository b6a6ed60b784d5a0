package sim

import (
	"slices"
	"sync"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// waitingForHelp bounds the pieces that wait for helpers.
const waitingForHelp = 64

// helped is a search of the fast engine with helpers: engines with the same query that explore
// structures, or parts of them, on free cores. The answers are merged.
type helped struct {
	plan  *plan.Plan
	query *fast.Query
	first *fast.Engine
	stats *fast.Stats // of the first engine
	cores *Cores
	aside func() *engine.Budget // makes the budget of a helper
	next  int                   // the number of the next piece
	all   sync.WaitGroup

	mu      sync.Mutex
	waiting []piece
	busy    int       // helpers with a core
	idle    []*helper // helpers without a core
	gone    []*helper // helpers that stopped, by an error or an extent other than Done
	failed  int       // the number of the first piece with an error
	err     error
}

// piece is a structure, or a part of one.
type piece struct {
	numbered
	part int // fast.Whole or the number of the part
}

// numbered is a structure with its number in the search.
type numbered struct {
	*event.Structure
	i int
}

// helper is an engine that explores pieces while there are any and it has a core.
type helper struct {
	engine *fast.Engine
	stats  fast.Stats
	budget *engine.Budget
}

// newHelped returns a search with helpers. It uses one core if the answers of engines depend on
// each other: if only a verdict is wanted, or candidates are bounded or visited. aside makes the
// budgets of helpers.
func newHelped(p *plan.Plan, q *fast.Query, stats *fast.Stats, cores *Cores, aside func() *engine.Budget) *helped {
	if q.Want == engine.Verdict || q.Visit != nil || q.MaxCandidates > 0 {
		cores = nil
	}
	h := &helped{plan: p, query: q, first: fast.For(p), stats: stats, cores: cores, aside: aside}
	h.first.Begin(q, stats)
	return h
}

// explore explores a structure by the first engine, or gives it to helpers. If alone is true, the
// test has no other structure, and explore divides one that takes long.
func (h *helped) explore(b *engine.Budget, s *event.Structure, alone bool) (engine.Extent, error) {
	switch {
	case h.cores == nil || s.Truncated: // one possible truncated structure is enough
		return h.piece(b, s, fast.Whole)
	case h.stats.Steps >= h.cores.after:
		return h.share(b, s, fast.Whole)
	case !alone || h.next > 0:
		return h.piece(b, s, fast.Whole)
	}
	slice := b.Try(h.cores.after)
	if far, err := h.first.Explore(slice, s); err != nil || !slice.Exhausted() || b.Exhausted() {
		h.next++
		return far, err
	}
	*h.stats = fast.Stats{}
	h.first.Begin(h.query, h.stats)
	return h.divide(b, s)
}

// divide shares out the parts of a structure that takes long.
func (h *helped) divide(b *engine.Budget, s *event.Structure) (far engine.Extent, err error) {
	if h.cores == nil || s.Truncated {
		return h.piece(b, s, fast.Whole)
	}
	for part := range h.first.Parts(b, s) {
		if far == engine.Done && err == nil {
			far, err = h.share(b, s.Apart(), part)
		}
	}
	return far, err
}

// piece lets the first engine explore a piece, unless an earlier piece ended in an error.
func (h *helped) piece(b *engine.Budget, s *event.Structure, part int) (engine.Extent, error) {
	if h.over(h.next) {
		return engine.Cut, nil
	}
	return h.first.ExplorePart(b, h.number(), part, s)
}

// number returns the number of the next piece.
func (h *helped) number() int {
	h.next++
	return h.next - 1
}

// share gives a piece to helpers, or else to the first engine.
func (h *helped) share(b *engine.Budget, s *event.Structure, part int) (engine.Extent, error) {
	if h.give(piece{numbered{s, h.next}, part}) {
		h.next++
		return engine.Done, nil
	}
	return h.piece(b, s, part)
}

// give queues a piece for the helpers. It returns false if no core is free for a new helper, and
// there are no helpers or the queue is full.
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

// help explores pieces until none is waiting or another test wants the core.
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
		far, err := w.engine.ExplorePart(w.budget, x.i, x.part, x.Structure)
		h.mu.Lock()
		if far != engine.Done {
			h.fail(w, x.i, err)
			return
		}
	}
	h.idle = append(h.idle, w)
}

// helps registers the first engine's core as a helper. It returns false if no piece is waiting.
func (h *helped) helps() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		return false
	}
	h.busy++
	return true
}

// helper returns an idle helper or a new one.
func (h *helped) helper() *helper {
	if last := len(h.idle) - 1; last >= 0 {
		w := h.idle[last]
		h.idle = h.idle[:last]
		return w
	}
	w := &helper{engine: fast.For(h.plan), budget: h.aside()}
	w.engine.Begin(h.query, &w.stats)
	return w
}

// fail records that a helper stopped at a piece, perhaps with an error.
func (h *helped) fail(w *helper, number int, err error) {
	if err != nil && (h.err == nil || number < h.failed) {
		h.err, h.failed = err, number
	}
	h.gone = append(h.gone, w)
}

// over reports whether an earlier piece ended in an error.
func (h *helped) over(number int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err != nil && h.failed < number
}

// end waits for all pieces, releases the engines and returns their merged answer. err is the error
// that stopped the first engine, or nil.
func (h *helped) end(err error) (*engine.Answer, error) {
	if h.helps() {
		h.help(func() bool { return false })
	}
	h.all.Wait()
	answers := []*engine.Answer{h.first.Answer()}
	h.first.Release()
	for _, w := range slices.Concat(h.idle, h.gone) {
		answers = append(answers, w.engine.Answer())
		h.stats.Merge(&w.stats)
		w.budget.Exhausted() // reports the last steps to the pool
		w.engine.Release()
	}
	if h.err != nil && (err == nil || h.failed < h.next-1) {
		err = h.err
	}
	return engine.Merge(h.query.Want == engine.Counts, answers...), err
}

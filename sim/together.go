package sim

import (
	"slices"
	"sync"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// waitingForHelp is how many pieces may wait for helpers.
const waitingForHelp = 64

// helped is a search of the fast engine, whose structures and parts of structures may also be explored
// by other engines of its kind, on cores that are free. All have the same query, and what they find
// adds up.
type helped struct {
	plan  *plan.Plan
	query *fast.Query
	first *fast.Engine
	stats *fast.Stats // of the first engine
	cores *Cores
	aside func() *engine.Budget // of a helper
	next  int                   // the number of the next piece
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
	part int // fast.Whole, or which part
}

// numbered is a structure of a test, by its number.
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

// newHelped returns a search on the cores that are free, or on one core if what one engine finds
// matters to the others: if only a verdict is wanted, or candidates are bounded or visited. aside makes the
// budgets of helpers.
func newHelped(p *plan.Plan, q *fast.Query, stats *fast.Stats, cores *Cores, aside func() *engine.Budget) *helped {
	if q.Want == engine.Verdict || q.Visit != nil || q.MaxCandidates > 0 {
		cores = nil
	}
	h := &helped{plan: p, query: q, first: fast.For(p), stats: stats, cores: cores, aside: aside}
	h.first.Begin(q, stats)
	return h
}

// explore has the first engine explore a structure, or leaves it to others. A structure that is the
// only one of its test is divided if it takes long.
func (h *helped) explore(b *engine.Budget, s *event.Structure, alone bool) (engine.Extent, error) {
	switch {
	case h.cores == nil || s.Truncated: // of those that are truncated, one that can happen is enough
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

// divide has the parts of a structure explored that takes long.
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

// piece has the first engine explore a piece, unless a piece before it has ended in an error.
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

// share leaves a piece to helpers, or to the first engine if there are none.
func (h *helped) share(b *engine.Budget, s *event.Structure, part int) (engine.Extent, error) {
	if h.give(piece{numbered{s, h.next}, part}) {
		h.next++
		return engine.Done, nil
	}
	return h.piece(b, s, part)
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
		far, err := w.engine.ExplorePart(w.budget, x.i, x.part, x.Structure)
		h.mu.Lock()
		if far != engine.Done {
			h.fail(w, x.i, err)
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
	w := &helper{engine: fast.For(h.plan), budget: h.aside()}
	w.engine.Begin(h.query, &w.stats)
	return w
}

// fail notes that a helper has ended with a piece, perhaps in an error.
func (h *helped) fail(w *helper, number int, err error) {
	if err != nil && (h.err == nil || number < h.failed) {
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

// end waits for all pieces, releases the engines and returns what they have found together. err is
// what has stopped the first engine.
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
		w.budget.Exhausted() // a pool is told of its last steps
		w.engine.Release()
	}
	if h.err != nil && (err == nil || h.failed < h.next-1) {
		err = h.err
	}
	return engine.Merge(h.query.Want == engine.Counts, answers...), err
}

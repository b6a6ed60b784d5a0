package sim

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/interleaving"
	"github.com/muster-gpu/muster/internal/engine/sampling"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
)

const (
	// A program with manyCombinations of control paths is asked about as a family, after its first
	// fewCombinations were explored one by one without an answer.
	manyCombinations = 1 << 15
	fewCombinations  = 64
	// manyStates is the number of states of a structure above which the fast engine lists them, if
	// it can; the learning engine finds states one by one.
	manyStates = 500
)

// hybrid is a search by several engines. The function next chooses the engine for each structure.
type hybrid struct {
	ctx    context.Context
	means  means
	query  *fast.Query // of the fast engine
	budget *engine.Budget
	// steps of the fast engine for a structure; 0 if the user chose the learning engine
	slice  int
	fast   *helped           // the fast engine
	learn  *axiomatic.Engine // nil until first needed
	others []*engine.Answer  // of engines made for one structure
	stats  fast.Stats        // of the fast engine
	// the structures seen, unless executions are counted; nil until a structure is left to the
	// learning engine
	seen  *symmetry.Seen
	cores *Cores
	alone bool         // the program has one combination of control paths
	open  atomic.Int64 // structures that wait for the learning engine
	left  int          // structures that the fast engine skipped or gave up
	turns turns

	// reports whether a path is redundant (needless); nil until first needed
	idles func(*event.Path) bool

	// structures for the learning engine: those that terminate, those that never end, those that
	// are truncated
	whole, stuck, cut queue
}

// queue is structures to be united in one query.
type queue struct {
	waiting []*event.Structure
	asked   int // the number of structures asked about before
}

// hybrid finds the states, or, for a verdict, one that the condition asks for. If counts are
// wanted, it counts the executions of all terminating structures; others have no final states.
// aside makes budgets for other cores; with nil, the search uses one core. If a structure takes the
// fast engine too many steps, the next structures get smaller slices.
//
// The extent is Unsupported if no engine supports some structure.
func (w means) hybrid(ctx context.Context, b *engine.Budget, aside func() *engine.Budget, r *Result) (engine.Extent, error) {
	h := &hybrid{ctx: ctx, means: w, query: w.ask.fast(), budget: b, slice: mostSlice}
	if aside != nil {
		h.cores = w.ask.test.config.Cores
	}
	if w.ask.test.config.Engine == Learning || w.ask.test.big() {
		h.slice, r.Work.Engine = 0, Learning
	}
	left := w.ask.test.leavesOut(h.query)
	h.alone = w.ask.program.Combinations() == 1
	h.fast = newHelped(w.plan, h.query, &h.stats, h.cores, aside)
	far, stopped := h.exploreAll()
	for _, q := range []*queue{&h.whole, &h.stuck, &h.cut} {
		if far == engine.Done && stopped == nil {
			far, stopped = h.askAbout(q.waiting)
		}
	}
	a, err := h.fast.end(stopped)
	if b.Exhausted() && err == nil {
		far = engine.Cut // helpers may have used up the budget
	}
	answers := append(h.others, a)
	if h.learn != nil {
		h.stats.Truncated = max(h.stats.Truncated, h.learn.Truncated)
		r.Work.Learnt = h.learn.Conflicts
		answers = slices.Insert(answers, 0, &h.learn.Answer)
	}
	r.Work.Left, r.Work.Turns, r.Meaningless = h.left, h.turns.named(), left.first()
	r.conclude(&words{w.ask.test, w.model, w.plan, h.query.Asks}, engine.Merge(h.counts(), answers...), &h.stats)
	return far, w.ask.test.failure(ctx, err)
}

// counts reports whether executions are counted.
func (h *hybrid) counts() bool { return h.query.Want == engine.Counts }

// exploreAll explores all structures.
func (h *hybrid) exploreAll() (far engine.Extent, err error) {
	var family *event.Family
	if !h.counts() {
		family = h.means.ask.family(h.ctx)
	}
	for s, wrong := range h.means.ask.structures(h.ctx) {
		if wrong != nil {
			return engine.Cut, wrong
		}
		if family != nil && s.Combination >= fewCombinations {
			h.lookForPlaces(s)
			if far, err := h.askFamily(h.busy(family)); !h.unanswered(far, err) {
				return far, err
			}
			family = nil
		}
		if h.idlesInVain(s) {
			h.stats.Structures++
			continue
		}
		if far, err = h.explore(s); far != engine.Done || err != nil {
			return far, err
		}
	}
	return engine.Done, nil
}

// idlesInVain reports whether a structure is redundant: another structure has the same behaviour
// without an idle round. The check is costly, so it starts after fewCombinations structures. When
// executions are counted, no structure is redundant.
func (h *hybrid) idlesInVain(s *event.Structure) bool {
	return !h.counts() && s.Combination >= fewCombinations && slices.ContainsFunc(s.Paths, h.needless())
}

// busy returns a family without redundant paths.
func (h *hybrid) busy(f *event.Family) *event.Family {
	needless := h.needless()
	if busy := f.Only(func(p *event.Path) bool { return !needless(p) }); busy != nil {
		return busy
	}
	return f
}

// needless returns a predicate of the paths that are redundant because of an idle round.
func (h *hybrid) needless() func(*event.Path) bool {
	if h.idles == nil {
		h.idles = axiomatic.New(h.means.plan, h.asks()).Idles(h.budget, h.means.ask.program.Family(h.ctx))
	}
	return h.idles
}

// asks returns the query for the learning engine.
func (h *hybrid) asks() *axiomatic.Query {
	q := h.means.ask.learning()
	if !h.means.ask.test.big() {
		q.Most = manyStates
	}
	if h.seen != nil {
		q.Classes = h.seen.Classes
	}
	q.Lasts = h.lasts
	return q
}

// lookForPlaces finds the interchangeable threads, unless executions are counted. s is any
// structure of the program.
func (h *hybrid) lookForPlaces(s *event.Structure) {
	if h.seen == nil && !h.counts() {
		h.seen = symmetry.NewSeen(h.means.ask.classes(s))
		h.seen.Again(s)
	}
}

// explore lets engines explore a structure, in turn, until one answers.
func (h *hybrid) explore(s *event.Structure) (far engine.Extent, err error) {
	if h.counts() {
		h.budget.Spend(s.N()) // building the structure takes as long
	} else if h.seen != nil && h.seen.Again(s) {
		h.stats.Structures++
		return engine.Done, nil
	}
	for so := h.history(); ; {
		by, steps := next(so, s)
		h.turns[by]++
		switch by {
		case byNone:
			return engine.Unsupported, nil
		case byFast:
			far, err = h.first(steps, s)
		case byInterleaving:
			far, err = h.interleaves(steps, s)
		case byLearning:
			return h.wait(s)
		default:
			return h.fast.explore(h.budget, s, h.alone)
		}
		if far.Answered() || err != nil || h.budget.Exhausted() {
			return far, err
		}
		so.last = by
	}
}

// history returns the history of a structure that no engine has explored yet.
func (h *hybrid) history() history {
	ask := h.means.ask
	return history{
		want: Want(h.query.Want), shows: ask.evidence || ask.race, learning: ask.test.config.Engine == Learning, slice: h.slice,
	}
}

// first lets the fast engine explore a structure within a slice of the budget.
func (h *hybrid) first(steps int, s *event.Structure) (far engine.Extent, err error) {
	if h.counts() && !s.Stuck && !s.Truncated {
		return h.tries(steps, s)
	}
	far, err = h.fast.piece(h.budget.Try(steps), s, fast.Whole)
	if far != engine.Cut || err != nil {
		h.slice = min(h.slice+5, mostSlice)
		return far, err
	}
	h.slice = max(h.slice*4/5, leastSlice)
	h.stats.Structures-- // another engine explores it again
	return far, err
}

// tries counts the executions of a structure by a new engine. If the slice ends, its partial counts
// are dropped, so that no execution counts twice.
func (h *hybrid) tries(steps int, s *event.Structure) (engine.Extent, error) {
	e, stats := fast.For(h.means.plan), fast.Stats{}
	defer e.Release()
	e.Begin(h.query, &stats)
	far, err := e.ExplorePart(h.budget.Try(steps), h.fast.number(), fast.Whole, s)
	if far.Answered() {
		h.others = append(h.others, e.Answer())
		h.stats.Merge(&stats)
	}
	return far, err
}

// interleaves counts the interleavings of a structure. For a verdict, it keeps only states that the
// condition asks for.
func (h *hybrid) interleaves(steps int, s *event.Structure) (engine.Extent, error) {
	q := &interleaving.Query{Observe: h.query.Observe, Keep: h.query.Keep}
	a, far, err := interleaving.Explore(h.budget.Try(steps), h.means.plan, q, h.fast.number(), s)
	switch {
	case far != engine.Done || err != nil:
		return far, err
	case s.Truncated:
		h.stats.Truncated += len(a.States)
	default:
		if h.query.Want == engine.Verdict {
			a.States = slices.DeleteFunc(a.States, func(s *engine.State) bool { return !final.Holds(h.query.Asks, s.Values()) })
		}
		for _, state := range a.States {
			h.stats.Counted = engine.Add(h.stats.Counted, state.Count)
			if !h.counts() {
				state.Count = 1
			}
		}
		h.others = append(h.others, a)
	}
	h.stats.Structures++
	if h.query.Want == engine.Verdict && !s.Truncated && h.decides(a) {
		return engine.Decided, nil
	}
	return engine.Done, nil
}

// decides reports whether an answer about some structures is the verdict: the behaviour is
// undefined, or it cannot be and a state that the condition asks for was found.
func (h *hybrid) decides(a *engine.Answer) bool {
	may := false
	for i, report := range h.means.plan.Reports {
		if report.Undefined && a.Raised[i] {
			return true
		}
		may = may || report.Undefined
	}
	return !may && len(a.States) > 0
}

// wait appends a structure to a queue for the learning engine, and asks about the queue if it is
// long enough.
func (h *hybrid) wait(s *event.Structure) (engine.Extent, error) {
	h.lookForPlaces(s)
	q := &h.whole
	switch {
	case s.Stuck && s.Truncated:
		h.waits(1)
		return h.askAbout([]*event.Structure{s})
	case s.Stuck:
		q = &h.stuck
	case s.Truncated:
		q = &h.cut
	}
	// the first structures may settle the verdict, so the first batches are small
	const growth, most = 8, 1024
	q.waiting = append(q.waiting, s)
	h.waits(1)
	if len(q.waiting) <= min(growth*q.asked, most) {
		return engine.Done, nil
	}
	batch := q.waiting
	q.asked, q.waiting = q.asked+len(batch), nil
	return h.askAbout(batch)
}

// samples draws interleavings of a structure at random. It returns the answer if they decide the
// question, else nil.
func (h *hybrid) samples(b *engine.Budget, s *event.Structure) (decisive *engine.Answer) {
	g := h.means.ask.wanted()
	e := sampling.New(h.means.plan, &sampling.Query{Observe: g.observe, Keep: h.means.ask.keep(), Asks: g.asks})
	if far, err := e.Explore(b, s); far != engine.Decided || err != nil {
		return nil
	}
	return e.Answer()
}

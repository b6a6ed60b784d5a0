package sim

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
)

// learningQuery is what the learning engine is asked about the test.
func (t *Test) learningQuery() *axiomatic.Query {
	g := t.wanted()
	q := &axiomatic.Query{Observe: g.observe, Keep: g.keep, Asks: g.asks, States: t.config.Want != Verdict}
	q.Meaningless = t.config.Tolerant
	q.Flags, q.Hangs = q.States && !g.evidence, q.States || g.evidence
	if p := t.config.progress; p != nil {
		q.Tell = p.learnt
	}
	return q
}

// mostSlice and leastSlice bound the steps that the fast engine is given for a structure: after that,
// asking the solver is cheaper.
const (
	mostSlice  = 400
	leastSlice = 20
	// manyCombinations of control paths are too many to be listed, if there is another way, once fewCombinations have settled nothing.
	manyCombinations = 1 << 15
	fewCombinations  = 64
	// manyStates is how many states of a structure are too many to be asked for one by one, if the fast
	// engine can list them.
	manyStates = 500
)

// hybrid is a search by two engines: the fast one looks at what is small, and at whatever is to be counted, the learning engine at the rest.
type hybrid struct {
	ctx    context.Context
	test   *Test
	plan   *plan.Plan
	query  *fast.Query // of the fast engine
	budget *engine.Budget
	slice  int               // steps that the fast engine is given for a structure; 0 if it is asked for what is to be counted only
	fast   *helped           // the fast engine
	learn  *axiomatic.Engine // nil until it is needed
	stats  fast.Stats        // of the fast engine
	seen   *symmetry.Seen    // structures, if nothing is counted; nil until one is left to the learning engine
	cores  *Cores
	alone  bool         // the program has one combination of control paths
	open   atomic.Int64 // structures that wait for an answer of the learning engine
	left   int          // structures that the fast engine did not look at, or gave up

	sampled *engine.Answer // of the sampling engine, if that has decided the question; else nil

	idles func(*event.Path) bool // reports whether a path adds nothing to others (needless); nil until it is needed

	whole, stuck, cut queue // structures for the learning engine: that end, that never end, that are truncated
}

// queue is structures that are to be asked about together.
type queue struct {
	waiting []*event.Structure
	asked   int // the number of structures that were asked about before
}

// runHybrid finds the states, or whether there is one that the condition asks for. If executions are
// wanted with their counts, the fast engine counts those of all structures that end: others have no
// final states. The fast engine looks at every other structure first, within a slice of the budget
// that shrinks where it is too small again and again; what it does not finish is left to the learning
// engine. With no slice, everything but counts is left to the learning engine.
//
// The extent is Unsupported if a structure is left about which neither engine knows enough.
func (t *Test) runHybrid(ctx context.Context, m *cat.Model, p *plan.Plan, slice int, r *Result) (engine.Extent, error) {
	h := &hybrid{ctx: ctx, test: t, plan: p, query: t.Query(), slice: slice, cores: t.config.Cores}
	h.budget = engine.NewBudget(ctx.Err)
	left := t.leavesOut(h.query)
	h.alone = t.Program.Combinations() == 1
	if h.query.Want == engine.Counts && r.Uncounted {
		h.query.Want = engine.States
	}
	h.fast = newHelped(ctx, p, h.query, &h.stats, h.cores)
	far, stopped := h.exploreAll()
	for _, q := range []*queue{&h.whole, &h.stuck, &h.cut} {
		if far == engine.Done && stopped == nil {
			far, stopped = h.ask(q.waiting)
		}
	}
	a, err := h.fast.end(stopped)
	if h.learn != nil {
		h.stats.Truncated = max(h.stats.Truncated, h.learn.Truncated)
		r.Work.Learnt = h.learn.Conflicts
		a = engine.Merge(false, &h.learn.Answer, a)
	}
	if h.sampled != nil {
		a = engine.Merge(false, h.sampled, a)
	}
	r.Work.Left, r.Meaningless = h.left, left.first()
	r.conclude(&words{t, m, p, h.query.Asks}, a, &h.stats)
	return far, t.failure(ctx, err)
}

// exploreAll has the engines look at all structures.
func (h *hybrid) exploreAll() (far engine.Extent, err error) {
	var family *event.Family
	if h.query.Want != engine.Counts {
		family = manyPaths(h.ctx, h.test.Program)
	}
	for s, wrong := range h.test.structures(h.ctx) {
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

// idlesInVain reports that a structure is no matter: another has all of it but an idle round that nobody needs. Once a few structures have settled
// nothing, that is worth finding out; where executions are counted, each is a matter.
func (h *hybrid) idlesInVain(s *event.Structure) bool {
	return h.query.Want != engine.Counts && s.Combination >= fewCombinations && slices.ContainsFunc(s.Paths, h.needless())
}

// busy is a family without the paths that nobody needs.
func (h *hybrid) busy(f *event.Family) *event.Family {
	needless := h.needless()
	if busy := f.Only(func(p *event.Path) bool { return !needless(p) }); busy != nil {
		return busy
	}
	return f
}

// needless is which paths nobody needs, because of their idle rounds.
func (h *hybrid) needless() func(*event.Path) bool {
	if h.idles == nil {
		h.idles = axiomatic.New(h.plan, h.asks()).Idles(h.budget, h.test.Program.Family(h.ctx))
	}
	return h.idles
}

// asks is what the learning engine is asked.
func (h *hybrid) asks() *axiomatic.Query {
	q := h.test.learningQuery()
	if !h.test.big() {
		q.Most = manyStates
	}
	if h.seen != nil {
		q.Classes = h.seen.Classes
	}
	if h.test.worthAdding() {
		q.Lasts = h.test.lasts(h.budget, h.plan)
	}
	return q
}

// lookForPlaces finds which threads may change places, unless executions are counted; s is any structure, which has come.
func (h *hybrid) lookForPlaces(s *event.Structure) {
	if h.seen == nil && h.query.Want != engine.Counts {
		h.seen = symmetry.NewSeen(h.test.classes(s))
		h.seen.Again(s)
	}
}

// explore has one of the engines look at a structure.
func (h *hybrid) explore(s *event.Structure) (engine.Extent, error) {
	if h.query.Want == engine.Counts && !s.Stuck && !s.Truncated {
		return h.fast.explore(h.budget, s, h.alone)
	}
	if h.seen != nil && h.seen.Again(s) {
		h.stats.Structures++
		return engine.Done, nil
	}
	small := s.N() <= plan.MaxEvents
	if small && h.slice > 0 {
		far, err := h.fast.piece(h.budget.Try(h.slice), s, fast.Whole)
		if far != engine.Cut || err != nil {
			h.slice = min(h.slice+5, mostSlice)
			return far, err
		}
		h.slice = max(h.slice*4/5, leastSlice)
		h.stats.Structures-- // it is looked at again
	}
	h.lookForPlaces(s)
	q := &h.whole
	switch {
	case s.Stuck && s.Truncated:
		h.waits(1)
		return h.ask([]*event.Structure{s})
	case s.Stuck:
		q = &h.stuck
	case s.Truncated:
		q = &h.cut
	}
	const growth, most = 8, 1024 // if one of the first settles it, nobody has to wait for the others
	q.waiting = append(q.waiting, s)
	h.waits(1)
	if len(q.waiting) <= min(growth*q.asked, most) {
		return engine.Done, nil
	}
	batch := q.waiting
	q.asked, q.waiting = q.asked+len(batch), nil
	return h.ask(batch)
}

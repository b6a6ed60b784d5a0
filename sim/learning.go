package sim

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/bounds"
	"github.com/muster-gpu/muster/internal/learn"
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/internal/symmetry"
)

// learningQuery is what the learning engine is asked about the test.
func (t *Test) learningQuery() *learn.Query {
	g := t.wanted()
	q := &learn.Query{Observe: g.observe, Keep: g.keep, Asks: g.asks, States: t.config.Effort != solve.Quick}
	q.Meaningless = t.config.Tolerant
	q.Flags, q.Hangs = q.States && !t.config.explain, q.States || t.config.explain
	if p := t.config.progress; p != nil {
		q.Tell = p.learnt
	}
	return q
}

// patience is after how many runs of the model the fast engine gives a structure up: by then, asking
// the solver is cheaper. It has less where it gives up again and again.
const (
	patience      = 400
	leastPatience = 20
	// manyCombinations of control paths are too many to be listed, if there is another way, once fewCombinations have settled nothing.
	manyCombinations = 1 << 15
	fewCombinations  = 64
	// manyStates is how many states of a structure are too many to be asked for one by one, if the fast
	// engine can list them.
	manyStates = 500
)

// hybrid is a search by two engines: the fast one looks at what is small, and at whatever is to be counted, the learning engine at the rest.
type hybrid struct {
	ctx     context.Context
	test    *Test
	plan    *plan.Plan
	query   *solve.Query // of the fast engine
	patient solve.Query  // the same without patience
	fast    *solve.Engine
	help    *helped       // of the fast engine, with what is too much for the learning engine
	learn   *learn.Engine // nil until it is needed
	stats   solve.Stats
	seen    *symmetry.Seen // structures, if nothing is counted; nil until one is left to the learning engine
	cores   *Cores
	alone   bool                   // the program has one combination of control paths
	open    atomic.Int64           // structures that wait for an answer of the learning engine
	left    int                    // structures that the fast engine did not look at, or gave up
	leave   func(*event.Structure) // Result.leave

	idles func(*event.Path) bool // of paths that nobody needs (needless); nil as long as nobody knows

	whole, stuck, cut queue // those of them that nobody has asked about: those that never end apart, and those that are truncated
}

// queue is structures that are to be asked about together.
type queue struct {
	waiting []*event.Structure
	asked   int // how many were asked about before
}

// runHybrid finds the states, or whether there is one that the condition asks for. Executions are counted if that is wanted, of structures that
// end: those that never end, or are cut off, have no final states. With no patience everything else is left to the learning engine, as far as that
// knows enough.
func (t *Test) runHybrid(ctx context.Context, m *cat.Model, p *plan.Plan, patience int, r *Result) error {
	h := &hybrid{ctx: ctx, test: t, plan: p, query: t.Query(), fast: solve.For(p), cores: t.config.Cores, leave: r.leave}
	defer h.fast.Release()
	left := t.leavesOut(h.query)
	h.alone = t.Program.Combinations() == 1
	if h.query.Effort == solve.Counts && r.Uncounted {
		h.query.Effort = solve.States
	}
	h.query.Patience = patience
	h.patient = *h.query
	h.patient.Patience = 0
	h.help = newHelped(ctx, p, &h.patient, h.cores)
	h.fast.Begin(ctx, h.query, &h.stats)
	more, stopped := h.exploreAll()
	for _, q := range []*queue{&h.whole, &h.stuck, &h.cut} {
		if more && stopped == nil {
			more, stopped = h.ask(q.waiting)
		}
	}
	a, err := h.fast.Answer()
	a, err = h.help.end(a, &h.stats, err)
	if h.learn != nil {
		h.stats.Truncated = max(h.stats.Truncated, h.learn.Truncated)
		r.Work.Learnt = h.learn.Conflicts
		r.gather(&words{t, m, p, h.query.Asks}, &h.learn.Answer, a)
	} else {
		r.take(&words{t, m, p, h.query.Asks}, a.States)
		r.shows(m, p, a)
	}
	r.Work.Left, r.Meaningless = h.left, left.first()
	r.sum()
	r.conclude(p, a, &h.stats)
	return t.failure(ctx, cmp.Or(err, stopped))
}

// exploreAll has the engines look at all structures. It returns false if enough is known.
func (h *hybrid) exploreAll() (more bool, err error) {
	var family *event.Family
	if h.query.Effort != solve.Counts {
		family = manyPaths(h.ctx, h.test.Program)
	}
	for s, wrong := range h.test.structures(h.ctx) {
		if wrong != nil {
			return true, wrong
		}
		if family != nil && s.Combination >= fewCombinations {
			h.lookForPlaces(s)
			if known, more, err := h.askFamily(h.busy(family)); known {
				return more, err
			}
			family = nil
		}
		if h.idlesInVain(s) {
			h.stats.Structures++
			h.leaves(s)
			continue
		}
		if more, err = h.explore(s); !more || err != nil {
			return more, err
		}
	}
	return true, nil
}

// leaves tells whoever wants to know that the fast engine does not look at a structure to the end.
func (h *hybrid) leaves(s *event.Structure) {
	if h.leave != nil {
		h.leave(s)
	}
}

// idlesInVain reports that a structure is no matter: another has all of it but an idle round that nobody needs. Once a few structures have settled
// nothing, that is worth finding out; where executions are counted, each is a matter.
func (h *hybrid) idlesInVain(s *event.Structure) bool {
	return h.query.Effort != solve.Counts && s.Combination >= fewCombinations && slices.ContainsFunc(s.Paths, h.needless())
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
		h.idles = learn.New(bounds.NewProgram(h.plan), h.asks()).Idles(h.ctx, h.test.Program.Family(h.ctx))
	}
	return h.idles
}

// asks is what the learning engine is asked.
func (h *hybrid) asks() *learn.Query {
	q := h.test.learningQuery()
	if !h.test.big() {
		q.Most = manyStates
	}
	if h.seen != nil {
		q.Classes = h.seen.Classes
	}
	if h.test.worthAdding() {
		q.Lasts = h.test.lasts(h.ctx, bounds.NewProgram(h.plan))
	}
	return q
}

// lookForPlaces finds which threads may change places, unless executions are counted; s is any structure, which has come.
func (h *hybrid) lookForPlaces(s *event.Structure) {
	if h.seen == nil && h.query.Effort != solve.Counts {
		h.seen = symmetry.NewSeen(h.test.classes(s))
		h.seen.Again(s)
	}
}

// explore has one of the engines look at a structure. It returns false if enough is known.
func (h *hybrid) explore(s *event.Structure) (more bool, err error) {
	if h.query.Effort == solve.Counts && !s.Stuck && !s.Truncated {
		before := h.query.Patience
		h.query.Patience = 0
		more = h.help.explore(h.fast, &h.stats, s, h.alone)
		h.query.Patience = before
		return more, nil
	}
	if h.seen != nil && h.seen.Again(s) {
		h.stats.Structures++
		return true, nil
	}
	small := s.N() <= plan.MaxEvents
	if small && h.query.Patience > 0 {
		if more = h.help.piece(h.fast, s, solve.Whole); !more || !h.fast.GaveUp() {
			h.query.Patience = min(h.query.Patience+5, patience)
			return more, nil
		}
		h.query.Patience = max(h.query.Patience*4/5, leastPatience)
		h.stats.Structures-- // it is looked at again
	}
	h.lookForPlaces(s)
	h.leaves(s)
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
		return true, nil
	}
	batch := q.waiting
	q.asked, q.waiting = q.asked+len(batch), nil
	return h.ask(batch)
}

// gather adds up what both engines have found.
func (r *Result) gather(by *words, l *learn.Answer, a *solve.Answer) {
	t, m, p := r.Test, by.model, by.plan
	refs, known := t.Observables(), map[string]bool{}
	for i := range l.States {
		found := &l.States[i]
		if s := t.state(found.Values); !known[s.Format(refs)] {
			known[s.Format(refs)] = true
			r.States = append(r.States, StateCount{
				Count: 1, Satisfies: t.prop.Eval(s.Lookup(refs)),
				ending: &told{s, func() *Witness { return learnt(m, p, found.Witness) }},
			})
		}
	}
	r.take(by, slices.DeleteFunc(a.States, func(s *solve.State) bool {
		return len(known) > 0 && known[t.state(s.Values()).Format(refs)]
	}))
	raise(p, l.Raised, a)
	if l.Hang != nil {
		a.Flags = append(a.Flags, HangFlag)
		r.hang = func() *Witness { return learnt(m, p, l.Hang) }
	}
	if l.Race != nil {
		r.race = func() *Witness { return learnt(m, p, l.Race) }
	}
	r.shows(m, p, a)
}

// shows notes executions of the fast engine that never end, or make the behaviour undefined, unless others are known.
func (r *Result) shows(m *cat.Model, p *plan.Plan, a *solve.Answer) {
	if r.hang == nil && a.Hang != nil {
		r.hang = func() *Witness { return witness(m, p, a.Hang) }
	}
	if r.race == nil && a.Race != nil {
		r.race = func() *Witness { return witness(m, p, a.Race) }
	}
}

// raise adds the reports of a plan that were raised; nil is none.
func raise(p *plan.Plan, raised []bool, a *solve.Answer) {
	for i, is := range raised {
		switch report := &p.Reports[i]; {
		case !is:
		case report.Undefined:
			a.Undefined = append(a.Undefined, report.Name)
		default:
			a.Flags = append(a.Flags, report.Name)
		}
	}
}

// learnt is a witness of the learning engine in full.
func learnt(m *cat.Model, p *plan.Plan, w *learn.Witness) *Witness {
	full := &Witness{Execution: w.Execution}
	for i, c := range p.Choices {
		if m.Chooses(c.Name) {
			full.Choices = append(full.Choices, cat.ChooseRel(c.Name, w.Choices[i]))
		}
	}
	return full
}

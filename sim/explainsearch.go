package sim

import (
	"context"
	"iter"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/sampling"
)

// Bounds on searches for candidates. One explanation makes many searches.
const (
	// mostStructures bounds the structures kept from one search to the next.
	mostStructures = 1024
	// mostSteps bounds the steps of a search of the fast engine, mostStepsVisiting those of a
	// search in which any axiom may fail or all candidates are judged. mostStepsEach bounds the
	// steps on one structure before it is left to the learning engine.
	mostSteps         = 10_000
	mostStepsVisiting = 100_000
	mostStepsEach     = 1200
	// fewSteps bounds the count of candidates if finding the consistent executions took manySteps,
	// or if it was hard to find out that there is no consistent execution. There are many more
	// candidates than consistent executions.
	manySteps = 4000
	fewSteps  = 1000
	// mostUnited bounds the structures of a session of the learning engine, mostSessions the
	// sessions.
	mostUnited   = 32
	mostSessions = 100
	// mostFound bounds the candidates of a search of the learning engine, for each axiom that may
	// fail; mostConflicts bounds the conflicts for one more candidate.
	mostFound     = 200
	mostConflicts = 400
	// mostSampled bounds the structures whose interleavings are drawn.
	mostSampled = 8
)

// kept is a program that keeps its structures once all have been built, if they are few. Building
// them takes as long as many a search.
type kept struct {
	frontend.Program
	structures []*event.Structure
	all        bool
}

// Structures yields the structures, and keeps them.
func (k *kept) Structures(ctx context.Context) iter.Seq2[*event.Structure, error] {
	return func(yield func(*event.Structure, error) bool) {
		if k.all {
			for _, s := range k.structures {
				if !yield(s, nil) {
					return
				}
			}
			return
		}
		var structures []*event.Structure
		for s, err := range k.Program.Structures(ctx) {
			if len(structures) <= mostStructures {
				structures = append(structures, s)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
		if len(structures) <= mostStructures {
			k.structures, k.all = structures, true
		}
	}
}

// search finds candidates of one model that pass guards, for one query after another on the same
// structures.
type search struct {
	ctx  context.Context
	ask  question
	plan *plan.Plan
	work *Work // Steps and Learnt

	structures []*event.Structure   // those that terminate
	partial    bool                 // there are more structures, or too many to list
	by         []searcher           // by structure: the engine that explores it
	sessions   []*axiomatic.Session // of the learning engine
	conflicts  int                  // conflicts left to all sessions
}

// sought is a query for candidates.
type sought struct {
	guards plan.Guards
	axioms int // number of axioms that may fail, one at a time
	// wants reports whether a candidate with a final state that fails the checks of a group (0 for
	// none) is wanted.
	wants func(end []event.Value, group int) bool
	visit func(end []event.Value, group int, w *engine.Witness)
}

// newSearch returns a search under a model. If there are too many structures to list and the
// learning engine supports them, it searches them as a family.
func newSearch(ctx context.Context, q question, p *plan.Plan, work *Work) (*search, error) {
	s := &search{ctx: ctx, ask: q, plan: p, work: work}
	if family := q.family(ctx); family != nil {
		s.partial = true
		if one := axiomatic.NewFamilySession(s.budget(), s.plan, q.learning(), family); one != nil {
			s.sessions = append(s.sessions, one)
			return s, nil
		}
	}
	for st, err := range q.program.Structures(ctx) {
		switch {
		case err != nil:
			return nil, q.test.failure(ctx, err)
		case st.Truncated || st.Stuck:
			continue
		case len(s.structures) == mostStructures:
			s.partial = true
			return s, nil
		}
		s.structures = append(s.structures, st)
		s.by = append(s.by, s.first(st))
	}
	return s, nil
}

// first returns the engine that explores a structure first. It returns byNone if a thread has an
// idle round, since other structures end the same way without it. It skips the fast engine if that
// has given up structures of the test before.
func (s *search) first(st *event.Structure) (by searcher) {
	if slices.ContainsFunc(st.Paths, (*event.Path).Idles) {
		return byNone
	}
	h := history{candidates: true, slice: mostStepsEach}
	if s.work.Left > 0 {
		h.slice = 0
	}
	by, _ = next(h, st)
	return by
}

// after returns the engine that explores a structure after another took too long or does not
// support it.
func (s *search) after(last searcher, st *event.Structure) searcher {
	by, _ := next(history{candidates: true, last: last}, st)
	return by
}

func (s *search) budget() *engine.Budget { return engine.NewBudget(s.ctx.Err) }

// find runs the searches for candidates in order.
func (s *search) find(q *sought) error {
	for _, search := range s.searchesForCandidates() {
		if err := search(q); err != nil {
			return err
		}
	}
	return nil
}

// fast asks the fast engine, and passes on the structures that take it too long.
func (s *search) fast(q *sought) error {
	query := s.ask.aboutAsked(engine.States)
	query.Guards = q.guards
	steps := mostSteps
	if q.axioms > 0 { // this does the work of one search per axiom
		steps = mostStepsVisiting
	}
	query.Visit = func(end []event.Value, group int, w engine.Evidence) bool {
		if q.wants(end, group) {
			q.visit(end, group, w.Witness())
		}
		return true
	}
	_, _, err := s.explore(query, steps, func(i int, b *engine.Budget) *engine.Budget {
		switch s.by[i] {
		case byFast:
			return b.Try(mostStepsEach)
		case byFastAlone:
			return b
		}
		return nil
	})
	return err
}

// within asks the fast engine about all structures, in a bounded number of steps. complete reports
// whether the steps were enough and no structure was too big.
func (s *search) within(q *fast.Query, steps int) (a *engine.Answer, complete bool, err error) {
	return s.explore(q, steps, func(i int, b *engine.Budget) *engine.Budget {
		if s.structures[i].N() > plan.MaxEvents {
			return nil
		}
		return b
	})
}

// explore asks the fast engine about structures, in a bounded number of steps. part returns the
// budget for the i-th structure: b, a slice of it, or nil to skip the structure.
func (s *search) explore(
	q *fast.Query, steps int, part func(i int, b *engine.Budget) *engine.Budget,
) (a *engine.Answer, complete bool, err error) {
	var stats fast.Stats
	e, b := fast.For(s.plan), s.budget().Slice(steps)
	defer e.Release()
	e.Begin(q, &stats)
	complete = true
	for i, st := range s.structures {
		far := engine.Unsupported
		if slice := part(i, b); slice != nil {
			far, err = e.Explore(slice, st)
		}
		if far == engine.Cut && !b.Exhausted() {
			s.by[i] = s.after(s.by[i], st)
		}
		complete = complete && far.Answered()
		if err != nil || far == engine.Decided || b.Exhausted() {
			break
		}
	}
	s.work.Steps += stats.Steps
	return e.Answer(), complete && err == nil, s.ask.test.failure(s.ctx, err)
}

// makeSessions makes sessions for the structures left to the learning engine.
func (s *search) makeSessions() {
	var waiting []int
	for i, by := range s.by {
		if by == byLearning {
			waiting = append(waiting, i)
		}
	}
	for part := range slices.Chunk(waiting, mostUnited) {
		s.unite(part)
	}
}

// unite makes a session for structures. If they cannot be united, it makes one for each half.
func (s *search) unite(all []int) {
	var structures []*event.Structure
	for _, i := range all {
		structures = append(structures, s.structures[i])
	}
	var one *axiomatic.Session
	if len(s.sessions) < mostSessions {
		one = axiomatic.NewSession(s.budget(), s.plan, s.ask.learning(), structures...)
	}
	switch {
	case one != nil:
		s.sessions = append(s.sessions, one)
		for _, i := range all {
			s.by[i] = bySession
		}
	case len(all) == 1:
		s.by[all[0]] = s.after(byLearning, structures[0])
	default:
		s.unite(all[:len(all)/2])
		s.unite(all[len(all)/2:])
	}
}

// learning asks the sessions of the learning engine.
func (s *search) learning(q *sought) (err error) {
	s.makeSessions()
	for _, one := range s.sessions {
		if s.conflicts <= 0 || err != nil {
			break
		}
		before := one.Conflicts()
		_, err = one.Find(s.budget(), &axiomatic.Sought{
			Guards: q.guards, Most: mostFound * max(1, q.axioms),
			Conflicts: min(mostConflicts, s.conflicts), Wants: q.wants, Visit: q.visit,
		})
		spent := one.Conflicts() - before
		s.work.Learnt += spent
		s.conflicts -= spent
	}
	return s.ask.test.failure(s.ctx, err)
}

// sample draws interleavings of structures that the other engines do not support.
func (s *search) sample(q *sought) (err error) {
	if !slices.Contains(s.by, bySampling) && !slices.Contains(s.by, byFastAlone) {
		return nil
	}
	g, left := s.ask.wanted(), mostSampled
	e := sampling.New(s.plan, &sampling.Query{
		Observe: g.observe, Keep: g.keep, Asks: g.asks, Guards: q.guards,
		Visit: func(end []event.Value, group int, w *engine.Witness) bool {
			if q.wants(end, group) {
				q.visit(end, group, w)
			}
			return true
		},
	})
	for i, st := range s.structures {
		if left > 0 && err == nil && (s.by[i] == bySampling || s.by[i] == byFastAlone) {
			left--
			_, err = e.Explore(s.budget(), st)
		}
	}
	return s.ask.test.failure(s.ctx, err)
}

package sim

import (
	"context"
	"errors"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/interleaving"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// This file alone chooses the engines that answer a question.

// An attempt is one way to answer a question. If it has no answer, the next one is tried.
type attempt[Answer any] struct {
	name string // as run --stats prints it
	try  func(ctx context.Context) (Answer, engine.Extent, error)
}

// firstAnswer makes the attempts in order until one answers, or fails with an error. It returns the
// answer and extent of the last one, and the names of all that were made.
func firstAnswer[Answer any](
	ctx context.Context, attempts []attempt[Answer],
) (a Answer, far engine.Extent, made []string, err error) {
	for _, x := range attempts {
		made = append(made, x.name)
		if a, far, err = x.try(ctx); far.Answered() || err != nil {
			break
		}
	}
	return a, far, made, err
}

// means is a question under a model, with what decides which engines can answer it.
type means struct {
	ask     question
	model   *cat.Model
	plan    *plan.Plan // nil if the model cannot be compiled, or the naive engine was asked for
	reason  string     // why the naive engine answers, if no other does; "" if it was asked for
	bounded bool       // the number of candidates is bounded, so an engine must visit them
}

// under returns the means to answer the question under a model.
func (q question) under(m *cat.Model) means {
	w := means{ask: q, model: m, bounded: q.limits.MaxCandidates > 0}
	if q.test.config.Engine == Naive {
		return w
	}
	if w.plan, w.reason = q.test.plan(m); w.plan != nil && q.test.big() {
		w.reason = "the test has more than 64 events"
	}
	return w
}

// answer answers the question by the first attempt that can.
func (w means) answer(ctx context.Context) (*Result, error) {
	r, _, made, err := firstAnswer(ctx, w.attempts())
	r.Work.Attempts = made
	return r, err
}

// attempts lists the ways to find the states, or the verdict, in the order of the attempts.
//
//	counting    several engines in turn (next), within bounded steps; if it takes long,
//	            states come first (counting.go)
//	naive, few  the test is too big for the fast engine, but has few candidates to count
//	fast        candidates are bounded: only this engine and the naive one visit them
//	states      several engines in turn, without counts
//	naive       the definition; always last
func (w means) attempts() (all []attempt[*Result]) {
	add := func(when bool, name string, do func(context.Context, *Result) (engine.Extent, error)) {
		if when {
			all = append(all, attempt[*Result]{name, func(ctx context.Context) (*Result, engine.Extent, error) {
				r := &Result{Test: w.ask.test}
				far, err := do(ctx, r)
				return r, far, err
			}})
		}
	}
	compiled, auto, big := w.plan != nil, w.ask.test.config.Engine == Fast, w.ask.test.big()
	counts := w.ask.want == Counts && auto && !w.bounded
	add(compiled && counts, "counting", w.counts)
	add(compiled && counts && big, "naive, few", w.few)
	add(compiled && auto && w.bounded && !big, "fast", w.fast)
	add(compiled && (!auto || !w.bounded), "states", w.states)
	add(true, "naive", w.naive)
	return all
}

// states finds the states, or the verdict, without counts.
func (w means) states(ctx context.Context, r *Result) (engine.Extent, error) {
	r.Uncounted = w.ask.want == Counts
	w.ask.want = max(w.ask.want, States)
	aside := func() *engine.Budget { return engine.NewBudget(ctx.Err) }
	far, err := w.hybrid(ctx, aside(), aside, r)
	if errors.Is(err, axiomatic.ErrWrong) && w.ask.test.big() {
		return engine.Unsupported, nil
	}
	return far, err
}

// few answers by the naive engine if there are few candidates.
func (w means) few(ctx context.Context, r *Result) (engine.Extent, error) {
	w.ask = w.ask.ofFew()
	far, err := w.naive(ctx, r)
	if IsLimit(err) && ctx.Err() == nil {
		return engine.Cut, nil
	}
	return far, err
}

// fewCandidates bounds the candidates of a test of little more than 64 events, such that the naive
// engine takes a second or two.
const fewCandidates = 1000

// ofFew returns the question with bounds on candidates, and on looks (twice as many). The bounds
// fall with the cube of the number of events, because the naive engine's time per candidate grows
// with it.
func (q question) ofFew() question {
	const fewest = 32
	part := float64(plan.MaxEvents) / float64(q.program.MaxEvents())
	most := max(fewest, int(fewCandidates*min(1, part*part*part)))
	q.limits.MaxCandidates, q.limits.MaxLooks = most, 2*most
	return q
}

// isOfFew reports whether the candidates are within the limits. It does not judge them.
func (q question) isOfFew(ctx context.Context, m *cat.Model) bool {
	limits := q.limits
	limits.OpenCo = m.Chooses("co")
	for _, err := range enumerate.Executions(ctx, q.program, limits, &enumerate.Stats{}) {
		if err != nil {
			return !IsLimit(err)
		}
	}
	return true
}

// searcher is an engine, and a way to use it, that explores a structure.
type searcher uint8

// The searchers. A structure moves down the list.
const (
	byNone         searcher = iota // no engine
	byFast                         // in a slice of the budget
	byInterleaving                 // in a slice of the budget, too
	// many structures together; for candidates: the session has not been made yet
	byLearning
	bySession   // the learning engine, with a session made
	byFastAlone // without a slice
	bySampling  // draws interleavings at random
	numSearchers
)

// Bounds on the steps of searches. Steps do not depend on the machine or on the number of cores.
const (
	// mostSlice and leastSlice bound the slice of the fast engine for a structure; after that, the
	// solver is cheaper. mostToTry is the slice for a structure whose interleavings could be
	// counted instead.
	mostSlice  = 400
	leastSlice = 20
	mostToTry  = 1 << 12
	// mostInterleaved bounds a search of interleavings without counts: a twentieth of a second.
	mostInterleaved = 1 << 18
	// fewToCount bounds a count before states come first, mostForStates the search for these
	// states, and mostCounted the whole count.
	fewToCount    = 1 << 18
	mostForStates = 1 << 20
	mostCounted   = 1 << 23
	// mostForLasts bounds a search for the final values of a location.
	mostForLasts = 1 << 18
)

// history is what engines have done so far with a structure, and with others of its test.
type history struct {
	want       Want
	shows      bool // executions will be shown, so an engine must return them
	candidates bool // the search is for candidates (explainsearch.go)
	learning   bool // the user chose the learning engine
	// steps of the fast engine for a structure; 0 if the test is big or earlier slices were too
	// small
	slice int
	last  searcher // the last one at this structure
}

// next returns the engine that explores a structure next, and its steps; 0 for the rest of the
// budget.
//
//	fast          up to 64 events
//	interleaving  all accesses are to one location, no executions will be shown, and the user
//	              did not choose the learning engine
//	fast alone    if executions are counted, which no other engine does
//	learning      or its session
//	fast alone    up to 64 events
//	sampling      to find a candidate, or a verdict
//
// It returns byNone if no engine is left.
func next(h history, s *event.Structure) (by searcher, steps int) {
	small, counts := s.N() <= plan.MaxEvents, h.want == Counts && !h.candidates
	counted := counts && !s.Stuck && !s.Truncated
	one := !h.shows && !h.candidates && !h.learning && h.last < byInterleaving && interleaving.Accepts(s)
	switch {
	case counts && h.slice == 0: // the test is big
		if one {
			return byInterleaving, mostCounted
		}
		return byNone, 0
	case counted && one && h.last < byFast:
		return byFast, mostToTry
	case counted && one:
		return byInterleaving, mostCounted
	case counted:
		return byFastAlone, 0
	case small && h.slice > 0 && h.last < byFast:
		return byFast, h.slice
	case one:
		return byInterleaving, mostInterleaved
	case h.last < byLearning:
		return byLearning, 0
	case small && h.last < byFastAlone:
		return byFastAlone, 0
	case h.candidates || !small && h.want == Verdict:
		return bySampling, 0
	}
	return byNone, 0
}

// turns counts, by engine, the structures that it has explored.
type turns [numSearchers]int

// named returns the turns of the engines that have explored a structure.
func (t turns) named() (all []Turns) {
	for by, name := range [...]string{
		byFast: "fast", byInterleaving: "interleaving", byLearning: "learning", byFastAlone: "fast alone", bySampling: "sampling",
	} {
		if name != "" && t[by] > 0 {
			all = append(all, Turns{name, t[by]})
		}
	}
	return all
}

// explanations lists the ways to find evidence, in the order of the attempts.
//
//	naive, few   the test is too big for the fast engine, but has few candidates
//	plan         the engines that run the plan of the model: allowed for the allowed states, then
//	             next, with checks disabled, for the forbidden ones
//	naive        every candidate is judged
func (w means) explanations() (all []attempt[*explaining]) {
	add := func(when bool, name string, do func(context.Context) (*explaining, engine.Extent, error)) {
		if when {
			all = append(all, attempt[*explaining]{name, do})
		}
	}
	big := w.ask.test.big()
	compiled := w.plan != nil && len(w.plan.Checks) <= mostAxioms && !(w.bounded && big)
	add(compiled && big, "naive, few", w.explainFew)
	add(compiled, "plan", w.explainByPlan)
	add(true, "naive", w.explainNaive)
	return all
}

// evidence returns a new explanation.
func (w means) evidence(by Engine, reason string) *explaining {
	return newExplaining(w.ask, &Explanation{Test: w.ask.test, Refs: w.ask.test.Observables(), Engine: by, Reason: reason}, w.model)
}

func (w means) explainFew(ctx context.Context) (*explaining, engine.Extent, error) {
	few := w
	if few.ask = w.ask.ofFew(); !few.ask.isOfFew(ctx, w.model) {
		return nil, engine.Cut, nil
	}
	x := few.evidence(Naive, w.reason)
	err := x.naive(ctx)
	x.ask = w.ask
	if IsLimit(err) && ctx.Err() == nil {
		return x, engine.Cut, nil
	}
	return x, engine.Done, err
}

func (w means) explainByPlan(ctx context.Context) (*explaining, engine.Extent, error) {
	by := Fast
	if w.ask.test.big() {
		by = Learning
	}
	x := w.evidence(by, "")
	far, err := x.byPlan(ctx, w)
	return x, far, err
}

func (w means) explainNaive(ctx context.Context) (*explaining, engine.Extent, error) {
	x := w.evidence(Naive, w.reason)
	err := x.naive(ctx)
	if err == nil && len(x.states) == 0 {
		err = x.disorderedNaive(ctx)
	}
	return x, engine.Done, err
}

// allowed lists the ways to find allowed states that the condition asks about, and an execution
// that never ends. It omits the naive engine, which makes its own explanation.
func (w means) allowed(want Want) []attempt[*Result] {
	w.ask.want, w.ask.goal, w.ask.evidence, w.ask.race = want, &goal{}, true, true
	all := w.attempts()
	return all[:len(all)-1]
}

// searchesForCandidates lists the searches for candidates in order. Each explores the structures
// that next assigns to it.
func (s *search) searchesForCandidates() []func(*sought) error {
	return []func(*sought) error{s.fast, s.learning, s.sample}
}

// mostToFindAnEnd bounds the steps of a search for a final state among all candidates.
const mostToFindAnEnd = 100_000

// anyEnd finds a candidate, allowed or not, that ends as the question asks, by the fast engine. If
// known is true and found is nil, no candidate does.
func (q question) anyEnd(ctx context.Context) (found *Witness, known bool, err error) {
	m := everything()
	p := q.under(m).plan
	if p == nil || q.test.big() {
		return nil, false, nil
	}
	f, b := q.fast(), engine.NewBudget(ctx.Err).Slice(mostToFindAnEnd)
	f.Want, f.Meaningless = engine.Verdict, func(error) {}
	var stats fast.Stats
	a, err := q.solve(ctx, b, p, f, &stats)
	for _, s := range a.States {
		if final.Holds(f.Asks, s.Values()) {
			return witness(m, p, s.Evidence), true, nil
		}
	}
	return nil, err == nil && stats.Truncated == 0 && !b.Exhausted(), err
}

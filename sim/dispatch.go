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

// This file decides which engine answers: it is the only place that does.

// An attempt is a way to answer a question. If it turns out not to answer it, the next one is made.
type attempt[Answer any] struct {
	name string // as run --stats prints it
	try  func(ctx context.Context) (Answer, engine.Extent, error)
}

// firstAnswer makes the attempts in order, until one answers or a limit or an error ends it. It
// returns how far the last one came, and the names of those that were made.
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

// means are the ways to answer a question that the model, the size of the test and its configuration leave
// open.
type means struct {
	ask     question
	model   *cat.Model
	plan    *plan.Plan // nil if the model cannot be compiled, or every candidate is to be visited
	reason  string     // why the naive engine answers, if nothing else does; "" if that was asked for
	bounded bool       // candidates are bounded, so they are to be visited
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

// answer has engines answer the question.
func (w means) answer(ctx context.Context) (*Result, error) {
	r, _, made, err := firstAnswer(ctx, w.attempts())
	r.Work.Attempts = made
	return r, err
}

// attempts lists the ways to find the states, or the verdict, in the order in which they are tried.
//
//	counting    several engines in turn (next), in a bounded number of steps: after some, states come first (counting.go)
//	naive, few  more events than the fast engine can take, few candidates: they can be counted
//	fast        candidates are bounded: only this engine and the naive one visit them
//	states      several engines in turn; nothing is counted
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

// few has the naive engine answer, if there are few candidates.
func (w means) few(ctx context.Context, r *Result) (engine.Extent, error) {
	w.ask = w.ask.ofFew()
	far, err := w.naive(ctx, r)
	if IsLimit(err) && ctx.Err() == nil {
		return engine.Cut, nil
	}
	return far, err
}

// fewCandidates bounds the candidates of a test of little more than 64 events that the naive engine
// judges in a second or two.
const fewCandidates = 1000

// ofFew returns the question with bounds on candidates, and twice as many looks for values. The naive
// engine takes about the cube of the number of events for each.
func (q question) ofFew() question {
	const fewest = 32
	part := float64(plan.MaxEvents) / float64(q.program.MaxEvents())
	most := max(fewest, int(fewCandidates*min(1, part*part*part)))
	q.limits.MaxCandidates, q.limits.MaxLooks = most, 2*most
	return q
}

// isOfFew reports whether there are no more candidates than the limits allow. No model judges them.
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

// searcher is an engine that looks at a structure.
type searcher uint8

// The searchers. A structure moves down the list.
const (
	byNone         searcher = iota // no engine
	byFast                         // in a slice of the budget
	byInterleaving                 // likewise
	byLearning                     // many structures together; a candidate: its clauses are not made yet
	bySession                      // the learning engine, which has made them
	byFastAlone                    // without a slice
	bySampling                     // interleavings are drawn
	numSearchers
)

// The steps that searches may take. Steps are the same on every machine, and on any number of cores.
const (
	// mostSlice and leastSlice bound those of the fast engine for a structure before others look: after that,
	// asking the solver is cheaper. A structure whose interleavings could be counted is given mostToTry.
	mostSlice  = 400
	leastSlice = 20
	mostToTry  = 1 << 12
	// mostInterleaved bounds those of interleavings where they are not to be counted: a twentieth of a second.
	mostInterleaved = 1 << 18
	// fewToCount are those of a count before states come first; mostForStates bounds those of these states,
	// mostCounted all of the count.
	fewToCount    = 1 << 18
	mostForStates = 1 << 20
	mostCounted   = 1 << 23
	// mostForLasts bounds those to find the final values of a location.
	mostForLasts = 1 << 18
)

// history is what has become of a structure, and of others of its test, so far.
type history struct {
	want       Want
	shows      bool     // executions are to be shown, so it is not enough to know that there are some
	candidates bool     // candidates are looked for (explainsearch.go)
	learning   bool     // the learning engine is asked for
	slice      int      // steps that the fast engine is given for a structure; 0 if the test is big, or that was too little before
	last       searcher // at the structure
}

// next returns which engine looks at a structure next, and how many steps it may take; 0 for those that are left.
//
//	fast          up to 64 events
//	interleaving  all accesses are to one location, no executions are to be shown, and no engine is asked for
//	fast alone    if executions are counted, which no other engine does
//	learning      or its session
//	fast alone    up to 64 events
//	sampling      to find a candidate, or a verdict
//
// It returns byNone if no engine knows enough.
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

// turns counts the structures that engines have looked at.
type turns [numSearchers]int

// named returns the turns of engines that have looked at any.
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

// explanations lists the ways to find evidence, in the order in which they are tried.
//
//	naive, few   more events than the fast engine can take, few candidates
//	plan         the engines that run the plan of the model: allowed for what it allows, and next for what it
//	             forbids, with checks disabled
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

// evidence returns an explanation in the making.
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

// allowed lists the ways to find states that the condition asks about and the model allows, and an
// execution that never ends. The naive engine is none of them: it makes an explanation of its own.
func (w means) allowed(want Want) []attempt[*Result] {
	w.ask.want, w.ask.goal, w.ask.evidence, w.ask.race = want, &goal{}, true, true
	all := w.attempts()
	return all[:len(all)-1]
}

// searchesForCandidates lists the searches for candidates in their order. Each takes the structures whose turn it is (next).
func (s *search) searchesForCandidates() []func(*sought) error {
	return []func(*sought) error{s.fast, s.learning, s.sample}
}

// mostToFindAnEnd bounds the steps of a search for a final state among all candidates.
const mostToFindAnEnd = 100_000

// anyEnd finds a candidate that ends as is asked, whatever a model says of it. It asks the fast engine. known
// says that there is none if found is nil.
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

package sim

import (
	"context"
	"errors"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/litmus"
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

// means are the ways to answer questions about a test that its model, its size and its
// configuration leave open.
type means struct {
	test    *Test
	model   *cat.Model
	plan    *plan.Plan // nil if the model cannot be compiled, or every candidate is to be visited
	reason  string     // why the naive engine answers, if nothing else does; "" if that was asked for
	bounded bool       // candidates are bounded, so they are to be visited
}

func (t *Test) means(m *cat.Model) means {
	w := means{test: t, model: m, bounded: t.config.Limits.MaxCandidates > 0}
	if t.config.Engine == Naive {
		return w
	}
	if w.plan, w.reason = t.plan(m); w.plan != nil && t.big() {
		w.reason = "the test has more than 64 events"
	}
	return w
}

// attempts lists the ways to find the states, or the verdict, in the order in which they are tried.
// If an execution that races is wanted, it must be shown.
//
//	interleaving        one location, more events than the fast engine does at once
//	naive, few          more events than the fast engine can take, few candidates: they can be counted
//	fast                candidates are bounded: only this engine and the naive one visit them
//	fast and learning   what the fast engine cannot do within its slices is left to the learning engine
//	learning            the same without slices: if it was asked for, or there are too many events
//	naive               the definition; always last
func (w means) attempts(showRace bool) (all []attempt[*Result]) {
	add := func(when bool, name string, do func(context.Context, *Result) (engine.Extent, error)) {
		if when {
			all = append(all, attempt[*Result]{name, func(ctx context.Context) (*Result, engine.Extent, error) {
				r := &Result{Test: w.test}
				far, err := do(ctx, r)
				return r, far, err
			}})
		}
	}
	compiled, auto, big := w.plan != nil, w.test.config.Engine == Fast, w.test.big()
	counts := w.test.config.Want == Counts
	add(compiled && auto && !w.bounded && !showRace && w.test.Program.MaxEvents() > fewEvents, "interleaving", w.interleaving)
	add(compiled && auto && !w.bounded && big && counts, "naive, few", w.few)
	add(compiled && auto && w.bounded && !big, "fast", w.fast)
	add(compiled && auto && !w.bounded && !big, "fast and learning", w.shared)
	add(compiled && (!auto || !w.bounded && big), "learning", w.learning)
	add(true, "naive", w.naive)
	return all
}

func (w means) interleaving(ctx context.Context, r *Result) (engine.Extent, error) {
	return w.test.interleaves(ctx, w.model, w.plan, r)
}

func (w means) fast(ctx context.Context, r *Result) (engine.Extent, error) {
	return engine.Done, w.test.runFast(ctx, w.model, w.plan, r)
}

func (w means) shared(ctx context.Context, r *Result) (engine.Extent, error) {
	r.Uncounted = w.test.config.Want == Counts && w.test.countless(ctx, w.plan)
	return w.test.runHybrid(ctx, w.model, w.plan, mostSlice, r)
}

func (w means) learning(ctx context.Context, r *Result) (engine.Extent, error) {
	r.Uncounted = w.test.config.Want == Counts
	r.Work.Engine = Learning
	far, err := w.test.runHybrid(ctx, w.model, w.plan, 0, r)
	if errors.Is(err, axiomatic.ErrWrong) && w.test.big() {
		return engine.Unsupported, nil
	}
	return far, err
}

func (w means) naive(ctx context.Context, r *Result) (engine.Extent, error) {
	return engine.Done, w.test.runNaive(ctx, w.model, r, w.reason)
}

// few has the naive engine answer, if there are few candidates.
func (w means) few(ctx context.Context, r *Result) (engine.Extent, error) {
	few := w
	few.test = w.test.ofFew()
	far, err := few.naive(ctx, r)
	if IsLimit(err) && ctx.Err() == nil {
		return engine.Cut, nil
	}
	return far, err
}

// fewCandidates bounds the candidates of a test of little more than 64 events that the naive engine
// judges in a second or two.
const fewCandidates = 1000

// ofFew returns the test with bounds on candidates, and twice as many looks for values. The naive
// engine takes about the cube of the number of events for each.
func (t *Test) ofFew() *Test {
	const fewest = 32
	few, part := *t, float64(plan.MaxEvents)/float64(t.Program.MaxEvents())
	most := max(fewest, int(fewCandidates*min(1, part*part*part)))
	few.config.Limits.MaxCandidates, few.config.Limits.MaxLooks = most, 2*most
	return &few
}

// isOfFew reports whether a test has no more candidates than its limits allow. No model judges them.
func (t *Test) isOfFew(ctx context.Context, m *cat.Model) bool {
	limits := t.config.Limits
	limits.OpenCo = m.Chooses("co")
	for _, err := range enumerate.Executions(ctx, t.Program, limits, &enumerate.Stats{}) {
		if err != nil {
			return !IsLimit(err)
		}
	}
	return true
}

// explanations lists the ways to find evidence, in the order in which they are tried.
//
//	naive, few   more events than the fast engine can take, few candidates
//	plan         the engines that run the plan of the model: allowed for what it allows, and
//	             firstForCandidates and nextForCandidates for what it forbids, with checks disabled
//	naive        every candidate is judged
func (w means) explanations() (all []attempt[*explaining]) {
	add := func(when bool, name string, do func(context.Context) (*explaining, engine.Extent, error)) {
		if when {
			all = append(all, attempt[*explaining]{name, do})
		}
	}
	big := w.test.big()
	compiled := w.plan != nil && len(w.plan.Checks) <= mostAxioms && !(w.bounded && big)
	add(compiled && big, "naive, few", w.explainFew)
	add(compiled, "plan", w.explainByPlan)
	add(true, "naive", w.explainNaive)
	return all
}

// evidence returns an explanation in the making.
func (w means) evidence(t *Test, by Engine, reason string) *explaining {
	return newExplaining(&Explanation{Test: t, Refs: t.Observables(), Engine: by, Reason: reason}, w.model)
}

func (w means) explainFew(ctx context.Context) (*explaining, engine.Extent, error) {
	few := w.test.ofFew()
	if !few.isOfFew(ctx, w.model) {
		return nil, engine.Cut, nil
	}
	x := w.evidence(few, Naive, w.reason)
	err := x.naive(ctx)
	x.Test = w.test
	if IsLimit(err) && ctx.Err() == nil {
		return x, engine.Cut, nil
	}
	return x, engine.Done, err
}

func (w means) explainByPlan(ctx context.Context) (*explaining, engine.Extent, error) {
	by := Fast
	if w.test.big() {
		by = Learning
	}
	x := w.evidence(w.test, by, "")
	far, err := x.byPlan(ctx, w)
	return x, far, err
}

func (w means) explainNaive(ctx context.Context) (*explaining, engine.Extent, error) {
	x := w.evidence(w.test, Naive, w.reason)
	err := x.naive(ctx)
	if err == nil && len(x.states) == 0 {
		err = x.disorderedNaive(ctx)
	}
	return x, engine.Done, err
}

// allowed lists the ways to find states that the condition asks about and the model allows, and an
// execution that never ends. The naive engine is none of them: it makes an explanation of its own.
func (w means) allowed(want Want) []attempt[*Result] {
	asked := *w.test
	asked.goal, asked.config.Want = &goal{evidence: true}, want
	if asked.filter = w.test.asks(); w.test.filter != nil {
		asked.filter = litmus.Binary{Op: litmus.And, X: w.test.filter, Y: asked.filter}
	}
	w.test = &asked
	all := w.attempts(true)
	return all[:len(all)-1]
}

// mostToFindAnEnd bounds the steps of a search for a final state among all candidates.
const mostToFindAnEnd = 100_000

// anyEnd finds a candidate that ends as the condition asks for, whatever a model says of it. It asks the
// fast engine. known says that there is none if found is nil.
func (t *Test) anyEnd(ctx context.Context) (found *Witness, known bool, err error) {
	m := everything()
	p := t.means(m).plan
	if p == nil || t.big() {
		return nil, false, nil
	}
	q, b := t.Query(), engine.NewBudget(ctx.Err).Slice(mostToFindAnEnd)
	q.Want, q.Meaningless = engine.Verdict, func(error) {}
	var stats fast.Stats
	a, err := t.solve(ctx, b, p, q, &stats)
	for _, s := range a.States {
		if final.Holds(q.Asks, s.Values()) {
			return witness(m, p, s.Evidence), true, nil
		}
	}
	return nil, err == nil && stats.Truncated == 0 && !b.Exhausted(), err
}

// searcher is the engine that looks for candidates of a structure.
type searcher uint8

// The searchers. A structure moves down the list.
const (
	byNone      searcher = iota // no engine: others have its candidates
	byFast                      // in a slice of the budget
	byLearning                  // its clauses are not made yet
	bySession                   // the learning engine, which has made them
	byFastAlone                 // without a slice, and interleavings are drawn, too
	bySampling                  // interleavings are drawn
)

// firstForCandidates returns the engine that looks for candidates of a structure first. hard says that
// the fast engine has left structures of the test to the learning engine before.
//
//	none                a thread has an idle round: other structures end so without it
//	fast, in a slice    up to 64 events
//	learning            more events, or hard
func firstForCandidates(s *event.Structure, hard bool) searcher {
	switch {
	case slices.ContainsFunc(s.Paths, (*event.Path).Idles):
		return byNone
	case s.N() <= plan.MaxEvents && !hard:
		return byFast
	}
	return byLearning
}

// nextForCandidates returns the engine that looks for candidates of a structure after another has turned
// out to take too long, or to know too little.
func nextForCandidates(s *event.Structure, last searcher) searcher {
	switch {
	case last < byLearning:
		return byLearning
	case s.N() <= plan.MaxEvents:
		return byFastAlone
	}
	return bySampling
}

package sim

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/fast"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/rel"
)

// A forbidden state is explained by candidates that end in it, preferably near to consistent. If it
// has few candidates, all are judged, as by the naive engine. Otherwise the search is for
// candidates that one axiom rejects, then two, and so on; first for those that satisfy the basic
// axioms. Package cat explains the violations.

const (
	// mostSearches bounds the sets of axioms tried.
	mostSearches = 100
	// mostJudged bounds the candidates of a state that are judged for each axiom that may be
	// violated, and also those where all axioms may be. Once wellTold candidates were judged, one
	// violation that involves the outcome is enough per state.
	mostJudged = 4
	wellTold   = 8
	// mostForCounts bounds the steps of a count of consistent executions.
	mostForCounts = 300_000
	// mostInAll bounds the conflicts of the learning engine: once with the basic axioms required,
	// once with them disabled.
	mostInAll = 3000
)

// byPlan explains by the plans of the model and of the model with the basic axioms. The extent is
// Unsupported if the engines cannot find the allowed states.
func (x *explaining) byPlan(ctx context.Context, w means) (engine.Extent, error) {
	far, err := x.consistent(ctx, w)
	if err != nil || far == engine.Unsupported || x.Alone {
		x.cut = !x.Alone
		return far, err
	}
	if err := x.count(ctx, w.plan); err != nil {
		return engine.Done, err
	}
	return engine.Done, x.forbidden(ctx)
}

// consistent finds the allowed states: first one, then all.
func (x *explaining) consistent(ctx context.Context, w means) (engine.Extent, error) {
	far, err := x.allowed(ctx, w, Verdict)
	if err != nil || far == engine.Unsupported || len(x.states) == 0 {
		return far, err
	}
	if far, err = x.allowed(ctx, w, States); far == engine.Unsupported && x.Test.big() {
		x.Alone = true
		return engine.Done, err
	}
	return far, err
}

// allowed finds one or all allowed states, without counts.
func (x *explaining) allowed(ctx context.Context, w means, want Want) (engine.Extent, error) {
	r, far, _, err := firstAnswer(ctx, w.allowed(want))
	x.Stats, x.Uncounted = r.Stats, x.Test.big()
	x.Work.Steps += r.Work.Steps
	x.Work.Learnt += r.Work.Learnt
	x.Work.Left = max(x.Work.Left, r.Work.Left)
	for i := range r.States {
		found := &r.States[i]
		s := x.state(found.State())
		s.allow(found.Witness())
		s.Consistent, s.Candidates = 1, 1
	}
	if r.hang != nil {
		x.Hang = r.hang()
	}
	return far, err
}

// count counts the consistent executions of the allowed states, if that is cheap.
func (x *explaining) count(ctx context.Context, own *plan.Plan) error {
	if len(x.states) == 0 || x.Test.big() {
		return nil
	}
	s, err := newSearch(ctx, x.ask, own, &x.Work)
	if err != nil {
		return err
	}
	a, complete, err := s.within(x.ask.aboutAsked(engine.Counts), mostForCounts)
	if x.Uncounted = !complete; x.Uncounted {
		return err
	}
	for _, found := range a.States {
		s := x.state(x.Test.state(found.Values()))
		s.allow(witness(x.model, own, found.Evidence))
		s.Consistent, s.Candidates = found.Count, found.Count
	}
	return err
}

// aboutAsked returns a query for the fast engine about the states that the condition asks about.
// Steps bound it; the number of candidates does not.
func (q question) aboutAsked(want engine.Want) *fast.Query {
	q.evidence = true
	f := q.fast()
	f.Want, f.MaxCandidates = want, 0
	return f
}

// forbidden explains the forbidden states.
func (x *explaining) forbidden(ctx context.Context) error {
	f, err := newFinder(ctx, x)
	if err != nil {
		return err
	}
	x.Partial = f.partial
	if err := f.judgeFew(); err != nil {
		return err
	}
	for _, basics := range []bool{false, true} {
		if len(f.open()) > 0 || f.Partial && !basics {
			if err := f.nearest(basics); err != nil {
				return err
			}
		}
	}
	if err := f.countRejected(); err != nil || f.Partial || !x.own.Chooses("co") {
		return err
	}
	if err := x.explainBy(ctx, x.own.BeforeCoherence(), x, Incomplete); err != nil || len(x.states) > 0 {
		return err
	}
	if checking := x.own.CheckingCoherence(); checking != nil {
		return x.explainBy(ctx, checking, nil, Disordered)
	}
	return nil
}

// explainBy explains, by another model, states in which no candidate of this model ends: because
// all its candidates are incomplete (BeforeCoherence), or because it chooses no such coherence
// order (CheckingCoherence). besides has the states explained already.
func (x *explaining) explainBy(ctx context.Context, m *cat.Model, besides *explaining, likelihood Likelihood) error {
	e := *x.Explanation
	more := newExplaining(x.ask, &e, m)
	more.besides = besides
	f, err := newFinder(ctx, more)
	if err != nil {
		return err
	}
	err = f.judgeFew()
	for _, basics := range []bool{false, true} {
		if err == nil && len(f.open()) > 0 {
			err = f.look(may{own: f.all(), basics: basics}, f.isOpen)
		}
	}
	x.add(more, likelihood)
	return err
}

// finder looks for candidates that explain why states are forbidden.
type finder struct {
	*explaining
	*search
	axioms [][]int                  // by axiom of the model's own: its checks
	basics []int                    // the checks of the basic axioms
	judged map[*ExplainedState]bool // by state: all its candidates were judged
}

func newFinder(ctx context.Context, x *explaining) (*finder, error) {
	p, err := x.model.Compile(x.Test.Vocabulary())
	if err != nil {
		return nil, err
	}
	s, err := newSearch(ctx, x.ask, p, &x.Work)
	if err != nil {
		return nil, err
	}
	f := &finder{explaining: x, search: s, judged: map[*ExplainedState]bool{}}
	own := len(p.Checks) - cat.BasicAxioms
	byName := map[string]int{} // a check in a forall or a procedure occurs several times
	for i := range p.Checks {
		name := p.Checks[i].Name
		axiom, met := byName[name]
		switch {
		case i >= own:
			f.basics = append(f.basics, i)
		case met:
			f.axioms[axiom] = append(f.axioms[axiom], i)
		default:
			byName[name] = len(f.axioms)
			f.axioms = append(f.axioms, []int{i})
		}
	}
	return f, nil
}

// end returns the state of the explanation with these values.
func (f *finder) end(values []event.Value) *ExplainedState { return f.state(f.Test.state(values)) }

// judgeFew counts all candidates, within bounds, and judges those of states that have few.
func (f *finder) judgeFew() error {
	if f.partial || f.Test.big() {
		f.Partial = true
		return nil
	}
	everything := may{own: f.all(), basics: true}
	steps := mostSteps
	idle := slices.Contains(f.by, byNone) && f.Test.Program.Combinations() > fewCombinations
	hard := f.Work.Left > 0 || idle
	if f.Work.Steps > manySteps || hard && len(f.states) == 0 {
		steps = fewSteps
	}
	counts, complete, err := f.candidates(everything, steps)
	f.Partial = !complete
	few := map[*ExplainedState]bool{}
	for s, n := range counts {
		s.Candidates, s.Counted = max(n, s.Candidates), complete
		if complete && f.isOpen(s) && s.Candidates <= enoughWitnesses {
			few[s] = true
		}
	}
	if len(few) == 0 || err != nil {
		return err
	}
	found := map[*ExplainedState][]*Witness{}
	q := f.search.ask.aboutAsked(engine.States)
	q.Guards = f.guards(everything)
	q.Visit = func(end []event.Value, _ int, w engine.Evidence) bool {
		if s := f.end(end); few[s] {
			found[s] = append(found[s], witness(f.model, f.plan, w))
		}
		return true
	}
	_, _, err = f.within(q, mostStepsVisiting)
	for _, s := range f.open() {
		if few[s] && len(found[s]) == s.Candidates {
			f.judged[s] = true
			err = cmp.Or(err, f.judge(s, found[s]...))
		}
	}
	return err
}

// candidates counts, within steps, the candidates of each state that violate no axioms other than
// may. complete reports whether the steps were enough.
func (f *finder) candidates(may may, steps int) (counts map[*ExplainedState]int, complete bool, err error) {
	q := f.search.ask.aboutAsked(engine.Counts)
	q.Guards = f.guards(may)
	a, complete, err := f.within(q, steps)
	counts = map[*ExplainedState]int{}
	for _, s := range a.States {
		counts[f.end(s.Values())] = s.Count
	}
	return counts, complete, err
}

// nearest explains states by candidates that as few axioms as possible reject. basics says whether
// basic axioms may be violated.
func (f *finder) nearest(basics bool) error {
	f.conflicts = mostInAll
	known := map[*ExplainedState]bool{}
	for _, s := range f.states {
		known[s] = !s.isOpen()
	}
	unknown := func(s *ExplainedState) bool { return !known[s] }
	err := f.look(may{one: true, basics: basics}, unknown)
	if err == nil && len(f.open()) > 0 {
		err = f.look(may{own: f.all(), basics: basics}, f.isOpen)
	}
	tried := 0
	for size := 2; size < len(f.axioms); size++ {
		far := map[*ExplainedState]bool{}
		for _, s := range f.states {
			far[s] = !known[s] && len(s.Reasons) > 0 && s.nearest().RejectedBy > size
		}
		if err != nil || !slices.Contains(slices.Collect(maps.Values(far)), true) {
			return err
		}
		for own := range f.all().subsets(size - 1) {
			if tried++; err != nil || tried > mostSearches {
				return err
			}
			err = f.look(may{own: own, one: true, basics: basics}, func(s *ExplainedState) bool { return far[s] })
		}
	}
	return err
}

// nearest returns a reason whose candidate is nearest to consistent.
func (s *ExplainedState) nearest() *Reason {
	return slices.MinFunc(s.Reasons, func(a, b *Reason) int { return a.Standing.Compare(b.Standing) })
}

// look judges candidates of wanted states that violate no axioms other than may.
func (f *finder) look(may may, wanted func(*ExplainedState) bool) (err error) {
	type violating struct {
		state *ExplainedState
		axiom int
	}
	found, told, judged := map[violating]int{}, map[violating]bool{}, 0
	each := map[*ExplainedState]int{}
	most, q := mostJudged/2, &sought{guards: f.guards(may)}
	if may.one {
		most, q.axioms = mostJudged, len(f.axioms)
	}
	q.wants = func(end []event.Value, axiom int) bool {
		s := f.end(end)
		v := violating{s, axiom}
		return s.Witness == nil && wanted(s) && found[v] < most && !told[v]
	}
	q.visit = func(end []event.Value, axiom int, w *engine.Witness) {
		s := f.end(end)
		v := violating{s, axiom}
		found[v]++
		each[s]++
		judged++
		s.Candidates = max(s.Candidates, each[s])
		err = cmp.Or(err, f.judge(s, witness(f.model, f.plan, w)))
		told[v] = judged > wellTold && axiom > 0 && s.tells(f.name(axiom-1))
	}
	return cmp.Or(f.find(q), err)
}

// tells reports whether the known violation of an axiom involves the outcome.
func (s *ExplainedState) tells(axiom string) bool {
	return slices.ContainsFunc(s.Reasons, func(r *Reason) bool { return r.about > 0 && r.Name == axiom })
}

// has reports whether a state is part of the explanation. A nil explanation has none.
func (x *explaining) has(s litmus.State) bool { return x != nil && x.states[s.Format(x.Refs)] != nil }

// rejected is a candidate with the model's own axioms that reject it.
type rejected struct {
	*Witness
	by axioms
	Standing
}

// judge explains candidates of a state, nearest to consistent first. The others are then rarely
// more telling and need no explanation.
func (f *finder) judge(s *ExplainedState, candidates ...*Witness) error {
	var all []rejected
	for _, w := range candidates {
		r, counts, err := f.rejected(w)
		if err != nil {
			return err
		}
		if counts {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b rejected) int { return a.Standing.Compare(b.Standing) })
	for _, r := range all {
		if err := f.explain(s, r.Witness, f.names(r.by), r.Standing); err != nil {
			return err
		}
	}
	return nil
}

// rejected returns the axioms that reject a candidate. counts is false if the candidate must be
// incomplete and is not. The plan judges candidates of up to plan.MaxEvents events, much faster
// than package cat.
func (f *finder) rejected(w *Witness) (r rejected, counts bool, err error) {
	switch {
	case f.besides != nil:
		others := slices.DeleteFunc(slices.Clone(w.Choices), func(c cat.Choice) bool { return c.Name == "co" })
		v, err := f.besides.own.Incomplete(w.Execution, others)
		if v == nil || err != nil {
			return r, false, err
		}
		return rejected{w, f.named(ownFailures(v.Failures)...), standing(v)}, true, nil
	case w.N() > plan.MaxEvents:
		failures, err := f.model.Failures(w.Execution, w.Choices)
		return rejected{w, f.named(ownFailures(failures)...), standing(&cat.Verdict{Failures: failures})}, true, err
	}
	r.Witness = w
	for _, c := range fast.Failing(f.plan, w.Execution, f.orders(w)) {
		if slices.Contains(f.basics, c) {
			r.Likelihood = Unlikely
			continue
		}
		r.by |= f.named(f.plan.Checks[c].Name)
	}
	r.RejectedBy = r.by.size()
	return r, true, nil
}

// orders returns the orders that a candidate has for the choices of the plan.
func (f *finder) orders(w *Witness) []rel.Rel {
	orders, chosen := make([]rel.Rel, len(f.plan.Choices)), w.Choices
	for i, c := range f.plan.Choices {
		if orders[i] = w.Co; f.model.Chooses(c.Name) {
			orders[i], chosen = chosen[0].Rel, chosen[1:]
		}
	}
	return orders
}

// isOpen reports whether the state is neither allowed nor explained yet.
func (s *ExplainedState) isOpen() bool { return s.Witness == nil && len(s.Reasons) == 0 }

// isOpen reports whether the search for candidates of a state goes on: it is open, not all its
// candidates were judged, and besides does not have it.
func (f *finder) isOpen(s *ExplainedState) bool {
	return s.isOpen() && !f.judged[s] && !f.besides.has(s.State)
}

// open returns the open states, sorted.
func (f *finder) open() []*ExplainedState {
	open := slices.DeleteFunc(slices.Collect(maps.Values(f.states)), func(s *ExplainedState) bool { return !f.isOpen(s) })
	slices.SortFunc(open, (*ExplainedState).compare)
	return open
}

func (s *ExplainedState) compare(t *ExplainedState) int {
	return litmus.CompareStates(s.State, t.State)
}

// countRejected counts the candidates that each axiom rejects, for states with candidates that were
// not judged.
func (f *finder) countRejected() error {
	for i := range f.axioms {
		some := f.judgedInPart(f.name(i))
		if len(some) == 0 || f.Partial {
			continue
		}
		passed, complete, err := f.candidates(may{own: f.all() &^ (1 << i), basics: true}, mostSteps)
		if err != nil {
			return err
		}
		for s, r := range some {
			if complete {
				r.Rejects = s.Candidates - passed[s]
			}
		}
	}
	return nil
}

// judgedInPart returns the reasons of one axiom, by state, that rest on some of the candidates. It
// resets their counts.
func (f *finder) judgedInPart(axiom string) map[*ExplainedState]*Reason {
	reasons := map[*ExplainedState]*Reason{}
	for _, s := range f.states {
		for _, r := range s.Reasons {
			if r.Name == axiom && !f.judged[s] {
				r.Rejects, reasons[s] = 0, r
			}
		}
	}
	return reasons
}

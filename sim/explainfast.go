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
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/rel"
)

// The fast engine explains a forbidden state by switching axioms off. With all of them off it
// finds, within a bound, every candidate that ends in the state; if they are few, each is
// judged, as by the naive engine. If not, it looks for those that the fewest axioms reject: with
// one axiom off, then two, until the state appears. The basics stay on while that leaves
// anything. What is found is judged and explained by package cat.

const (
	// mostSearches bounds how many sets of axioms that may together rule out a state are tried.
	mostSearches = 100
	// mostSampled is how many candidates of a state a search with axioms off has judged; where any one axiom may be off, twice as many for
	// each. Once wellTold have been judged there, the first for each axiom whose violation has to do with the outcome is enough: where
	// there are many states, nobody looks for the most telling candidate of each.
	mostSampled = 2
	wellTold    = 8
)

// fast explains by the plans of the model and of the model with the basics. The extent is Unsupported
// if the engines do not know enough to say what the model allows.
func (x *explaining) fast(ctx context.Context, own *plan.Plan) (engine.Extent, error) {
	x.built = newBuilt(ctx, x.Test.Program)
	if far, err := x.consistent(ctx, own); err != nil || far == engine.Unsupported {
		x.cut = true
		return far, err
	}
	if x.Alone {
		return engine.Done, nil
	}
	return engine.Done, x.forbidden(ctx)
}

// forbidden explains the states that the model forbids.
func (x *explaining) forbidden(ctx context.Context) error {
	f, err := newFinder(ctx, x)
	if err == nil {
		err = f.everything()
	}
	if err != nil {
		return err
	}
	if len(f.open()) > 0 || f.Partial {
		if err := f.nearest(false); err != nil {
			return err
		}
	}
	if len(f.open()) > 0 {
		if err := f.nearest(true); err != nil {
			return err
		}
	}
	if err := f.countRejected(); err != nil || f.Partial || !x.own.Chooses("co") {
		return err
	}
	if err := x.incomplete(ctx); err != nil || len(x.states) > 0 {
		return err
	}
	return x.disordered(ctx)
}

// incomplete explains states in which only incomplete candidates end: there is no coherence order to choose
// for them, because checks before that choice fail.
func (x *explaining) incomplete(ctx context.Context) error {
	return x.explainBy(ctx, x.own.BeforeCoherence(), x, Incomplete)
}

// disordered explains states that need a last write which no coherence order of the model has last: every order of the writes is a
// candidate then, and that the model chooses it is a check.
func (x *explaining) disordered(ctx context.Context) error {
	checking := x.own.CheckingCoherence()
	if checking == nil {
		return nil
	}
	return x.explainBy(ctx, checking, nil, Disordered)
}

// explainBy explains, by another model, states in which no candidate of the model ends. besides has the states that are known already.
func (x *explaining) explainBy(ctx context.Context, m *cat.Model, besides *explaining, likelihood Likelihood) error {
	e := *x.Explanation
	more := newExplaining(&e, m)
	more.besides, more.built = besides, x.built
	f, err := newFinder(ctx, more)
	if err != nil {
		return err
	}
	err = f.everything()
	for _, basics := range []bool{false, true} {
		_, failure := f.sampleOpen(basics)
		err = cmp.Or(err, failure)
	}
	x.add(more, likelihood)
	return err
}

// mostCounted is after how many runs of the plan consistent executions are not counted any more.
const mostCounted = 300_000

// consistent finds the states that the model allows, if it allows any, and then counts, if that is cheap.
func (x *explaining) consistent(ctx context.Context, p *plan.Plan) (engine.Extent, error) {
	far, err := x.allowed(ctx, p, Verdict)
	if err != nil || far == engine.Unsupported || len(x.states) == 0 {
		return far, err
	}
	far, err = x.allowed(ctx, p, States)
	if x.Alone = x.Test.big() && far == engine.Unsupported; x.Alone {
		return engine.Done, err
	}
	if err != nil || x.Test.big() {
		return far, err
	}
	q, b := x.query(), engine.NewBudget(ctx.Err).Slice(mostCounted)
	var stats fast.Stats
	a, err := x.Test.solve(ctx, b, p, q, &stats)
	x.Work.Steps += stats.Steps
	if x.Uncounted = b.Exhausted() && ctx.Err() == nil; x.Uncounted {
		return engine.Done, nil
	}
	x.Stats = stats.Stats
	for _, found := range a.States {
		s := x.state(x.Test.state(found.Values()))
		s.allow(witness(x.model, p, found.Evidence))
		s.Consistent, s.Candidates = found.Count, found.Count
	}
	return engine.Done, err
}

// allowed finds states that the model allows, one or all of them, and counts nothing.
func (x *explaining) allowed(ctx context.Context, p *plan.Plan, want Want) (far engine.Extent, err error) {
	x.built.hard = map[*event.Structure]bool{}
	asked, r := *x.Test, &Result{Test: x.Test, leave: func(s *event.Structure) { x.built.hard[s] = true }}
	asked.Program, asked.goal = x.built, new(goal)
	asked.config.Want, asked.config.explain = want, true
	if asked.filter = x.Test.asks(); x.Test.filter != nil {
		asked.filter = litmus.Binary{Op: litmus.And, X: x.Test.filter, Y: asked.filter}
	}
	far, err = asked.runHybrid(ctx, x.model, p, mostSlice, r)
	x.Stats, x.Uncounted = r.Stats, x.Test.big()
	x.Work.Steps += r.Work.Steps
	x.Work.Learnt += r.Work.Learnt
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

// query asks for the states that the condition asks about.
func (x *explaining) query() *fast.Query {
	q := x.Test.Query()
	if q.Keep == nil {
		q.Keep = q.Asks
	} else {
		q.Keep = final.Every{q.Asks, q.Keep}
	}
	if x.besides != nil {
		q.Except = func(values []event.Value) bool { return x.besides.has(x.Test.state(values)) }
	}
	q.Want = engine.Counts
	return q
}

// has reports that a state is part of the explanation, if that is any.
func (x *explaining) has(s litmus.State) bool { return x != nil && x.states[s.Format(x.Refs)] != nil }

// finder looks for candidates that rule out states.
type finder struct {
	*explaining
	ctx    context.Context
	plan   *plan.Plan               // of the model with the basics
	axioms [][]int                  // the checks of each axiom of the model's own, in its order
	basics []int                    // the checks of the basics
	judged map[*ExplainedState]bool // all candidates
	tried  int                      // sets of axioms
	search
}

func newFinder(ctx context.Context, x *explaining) (*finder, error) {
	p, err := x.model.Compile(x.Test.Vocabulary())
	if err != nil {
		return nil, err
	}
	f := &finder{explaining: x, ctx: ctx, plan: p, judged: map[*ExplainedState]bool{}, search: newSearch()}
	own := len(p.Checks) - cat.BasicAxioms
	byName := map[string]int{} // a check in a forall or a procedure comes more than once
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

// everything counts all candidates, within the bound, and settles the states that have few.
func (f *finder) everything() error {
	if f.Partial = f.Test.big() || f.built.family != nil; f.Partial {
		return nil
	}
	all := off{own: f.all(), basics: true}
	most := mostRuns
	if f.Work.Steps > mostToCountAll || len(f.built.hard) > 0 && len(f.states) == 0 {
		most = mostRunsOfMany
	}
	counts, complete, err := f.count(all, most)
	if err != nil {
		return err
	}
	f.Partial = !complete
	for s, n := range counts {
		s.Candidates, s.Counted = max(n, s.Candidates), complete
	}
	few := func(s *ExplainedState) bool { return complete && s.Candidates <= enoughWitnesses }
	if !slices.ContainsFunc(f.open(), few) {
		return nil
	}
	found, err := f.list(all)
	for _, s := range f.open() {
		if few(s) && len(found[s]) == s.Candidates {
			f.judged[s] = true
			err = cmp.Or(err, f.judge(s, found[s]))
		}
	}
	return err
}

// guards returns the guards that disable what is off. If any axiom may be off, the group of a check is
// the number of its axiom, counted from 1.
func (f *finder) guards(off off) plan.Guards {
	g := make(plan.Guards, len(f.plan.Checks))
	for i, checks := range f.axioms {
		for _, c := range checks {
			switch {
			case off.own.has(i):
				g[c] = plan.Disabled
			case off.any:
				g[c] = plan.Guard(i + 1)
			}
		}
	}
	if off.basics {
		for _, c := range f.basics {
			g[c] = plan.Disabled
		}
	}
	return g
}

// count counts the candidates of each state that pass with checks off, in so many runs of the plan at most. complete says that
// there were not too many.
func (f *finder) count(off off, most int) (counts map[*ExplainedState]int, complete bool, err error) {
	q := f.query()
	q.Guards = f.guards(off)
	a, complete, err := f.bounded(q, most, off, nil)
	counts = map[*ExplainedState]int{}
	for _, s := range a.States {
		counts[f.end(s.Values())] = s.Count
	}
	return counts, complete, err
}

// rejected is a candidate, and the axioms of the model's own that reject it.
type rejected struct {
	*Witness
	by axioms
	Standing
}

// judge explains candidates that end in a state. Those that are nearest to consistent come first: then the others tell
// nothing more, and need not be explained.
func (f *finder) judge(s *ExplainedState, candidates []sample) error {
	s.Candidates = max(s.Candidates, len(candidates))
	var all []rejected
	for _, c := range candidates {
		w := c.Witness
		if f.besides == nil {
			r, err := f.rejected(w)
			if err != nil {
				return err
			}
			all = append(all, r)
			continue
		}
		v, err := f.incompleteVerdict(w)
		if err != nil {
			return err
		}
		if v != nil {
			all = append(all, rejected{w, f.named(ownFailures(v.Failures)), standing(v)})
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

// rejected runs the plan on a candidate, if it is not too big: that takes a small part of the time in which package cat would judge it.
func (f *finder) rejected(w *Witness) (rejected, error) {
	if w.N() > plan.MaxEvents {
		failures, err := f.model.Failures(w.Execution, w.Choices)
		return rejected{w, f.named(ownFailures(failures)), standing(&cat.Verdict{Failures: failures})}, err
	}
	r, chosen := rejected{Witness: w}, w.Choices
	orders := make([]rel.Rel, len(f.plan.Choices))
	for i, c := range f.plan.Choices {
		if orders[i] = w.Co; f.model.Chooses(c.Name) {
			orders[i], chosen = chosen[0].Rel, chosen[1:]
		}
	}
	for _, c := range fast.Failing(f.plan, w.Execution, orders) {
		if slices.Contains(f.basics, c) {
			r.Likelihood = Unlikely
			continue
		}
		r.by |= f.named([]string{f.plan.Checks[c].Name})
	}
	r.RejectedBy = r.by.size()
	return r, nil
}

// incompleteVerdict is what the model says of a candidate that is to be incomplete; nil if it is not.
func (f *finder) incompleteVerdict(w *Witness) (*cat.Verdict, error) {
	others := slices.DeleteFunc(slices.Clone(w.Choices), func(c cat.Choice) bool { return c.Name == "co" })
	return f.besides.own.Incomplete(w.Execution, others)
}

// nearest settles states by candidates that as few axioms reject as possible, where the basics
// are off, or on if there are none.
func (f *finder) nearest(basics bool) error {
	f.budget = mostInAll
	if !f.Partial || !basics { // else little is likely of the few states that are left, and what fewer finds will do
		if err := f.single(basics); err != nil {
			return err
		}
	}
	open, err := f.sampleOpen(basics)
	for _, s := range open {
		if f.Partial {
			err = cmp.Or(err, f.fewer(s, basics))
		} else {
			err = cmp.Or(err, f.least(s, basics))
		}
	}
	return err
}

// single settles states by candidates that one axiom rejects.
func (f *finder) single(basics bool) (err error) {
	settled := map[*ExplainedState]bool{}
	for _, s := range f.states {
		settled[s] = !s.isOpen()
	}
	told := 0
	tells := func(s *ExplainedState, c sample) bool {
		err = cmp.Or(err, f.judge(s, []sample{c}))
		told++
		return told > wellTold && slices.ContainsFunc(s.Reasons, func(r *Reason) bool { return r.about > 0 && c.forgiven > 0 && r.Name == f.name(c.forgiven-1) })
	}
	want := wanted{of: func(s *ExplainedState) bool { return !settled[s] }, most: 2 * mostSampled, tells: tells}
	found, _, failure := f.sample(off{basics: basics, any: true}, want)
	for s, all := range found {
		s.Candidates = max(s.Candidates, len(all))
	}
	return cmp.Or(err, failure)
}

// sampleOpen judges some candidates of the states that are not settled. It returns those that have any.
func (f *finder) sampleOpen(basics bool) (sampled []*ExplainedState, err error) {
	open := f.open()
	if len(open) == 0 {
		return nil, nil
	}
	found, _, err := f.sample(off{own: f.all(), basics: basics}, wanted{of: (*ExplainedState).isOpen, most: mostSampled})
	for _, s := range open {
		if len(found[s]) > 0 {
			sampled = append(sampled, s)
			err = cmp.Or(err, f.judge(s, found[s]))
		}
	}
	return sampled, err
}

// fewer looks for candidates that only a proper subset of the axioms rejects that reject the nearest known
// one, until the set is minimal. Another set may be smaller yet.
func (f *finder) fewer(s *ExplainedState, basics bool) error {
	for {
		r, err := f.rejected(&s.nearest().Witness)
		set := r.by
		if err != nil || set.size() <= 1 {
			return err
		}
		for rest := set; rest != 0; rest &= rest - 1 {
			if _, err := f.without(off{own: set &^ (rest & -rest), basics: basics}, one(s, mostSampled)); err != nil {
				return err
			}
			if s.nearest().RejectedBy < set.size() {
				break
			}
		}
		if s.nearest().RejectedBy == set.size() {
			return nil
		}
	}
}

// isOpen reports that it is not known whether the model allows the state, or why not.
func (s *ExplainedState) isOpen() bool { return s.Witness == nil && len(s.Reasons) == 0 }

// open is the states that are not settled, sorted.
func (f *finder) open() []*ExplainedState {
	open := slices.DeleteFunc(slices.Collect(maps.Values(f.states)), func(s *ExplainedState) bool { return !s.isOpen() })
	slices.SortFunc(open, (*ExplainedState).compare)
	return open
}

func (s *ExplainedState) compare(t *ExplainedState) int {
	return litmus.CompareStates(s.State, t.State)
}

// without judges candidates of some states that the checks which are not off let through.
func (f *finder) without(off off, want wanted) (far extent, err error) {
	found, far, err := f.sample(off, want)
	for _, s := range slices.SortedFunc(maps.Keys(found), (*ExplainedState).compare) {
		err = cmp.Or(err, f.judge(s, found[s]))
	}
	return far, err
}

// least looks for candidates that end in a state and that fewer axioms reject than those that are
// known.
func (f *finder) least(s *ExplainedState, basics bool) error {
	set, err := f.needed(s, basics)
	for more := max(0, 2-set.size()); err == nil && set.size()+more < s.nearest().RejectedBy; more++ {
		for extra := range (f.all() &^ set).subsets(more) {
			if f.tried++; f.tried > mostSearches {
				return nil
			}
			if _, err = f.without(off{own: set | extra, basics: basics}, one(s, mostSampled)); err != nil {
				break
			}
		}
	}
	return err
}

// needed finds the axioms that rule out a state on their own: every candidate that ends in it violates all
// of them.
func (f *finder) needed(s *ExplainedState, basics bool) (needed axioms, err error) {
	for i := range f.axioms {
		found, far, failure := f.sample(off{own: f.all() &^ (1 << i), basics: basics}, one(s, 1))
		if err = cmp.Or(err, failure); far == whole && len(found[s]) == 0 {
			needed |= 1 << i
		}
	}
	return needed, err
}

// nearest is a reason with a candidate that is as near to being consistent as any that has been
// judged.
func (s *ExplainedState) nearest() *Reason {
	return slices.MinFunc(s.Reasons, func(a, b *Reason) int { return a.Standing.Compare(b.Standing) })
}

// countRejected counts the candidates that each axiom rejects, for states of which only a sample has been
// judged.
func (f *finder) countRejected() error {
	for i, checks := range f.axioms {
		sampled := f.sampled(f.plan.Checks[checks[0]].Name)
		if len(sampled) == 0 || f.Partial {
			continue
		}
		passed, complete, err := f.count(off{own: f.all() &^ (1 << i), basics: true}, mostRuns)
		if err != nil {
			return err
		}
		for s, r := range sampled {
			if complete {
				r.Rejects = s.Candidates - passed[s]
			}
		}
	}
	return nil
}

// sampled lists, by state, the reasons of one axiom that rest on a sample of the candidates. It resets
// their counts.
func (f *finder) sampled(axiom string) map[*ExplainedState]*Reason {
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

package sim

import (
	"cmp"
	"context"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
)

// Explanation is the evidence for an answer: for each final state that the condition
// asks about, executions that show it possible, or axioms that rule it out.
type Explanation struct {
	Test     *Test
	Refs     []litmus.Ref
	Outcomes []ExplainedState // sorted by state
	// Partial says that there are too many candidate executions to look at all of them: states
	// that some end in may be missing, if they are forbidden.
	Partial bool
	// Alone says that states besides allowed ones were not looked for: there are too many values that reads may return.
	Alone bool
	// Uncounted says that not all consistent executions of the allowed states are counted, only one of each.
	Uncounted bool
	Absence   Absence  // why there are no Outcomes; Present if there are, or if that is not known
	Hang      *Witness // an execution that the model allows and that never ends; nil if there is none
	// Race is an execution that the model allows and that makes the behaviour undefined, as a race does, with what does so; nil if there is none.
	Race *Race
	// Vacuous says that no execution that the model allows has a final state, so that a forall is about nothing (Result.Vacuous).
	Vacuous bool
	Engine  Engine
	Reason  string // why it is Naive; "" if that was asked for
	Stats   enumerate.Stats
	Work    Work  // of all searches: Steps and Learnt
	Limit   error // why the explanation was cut short; nil if it is complete
}

// Incomplete says what cut the explanation short; "" if nothing did.
func (e *Explanation) Incomplete() string { return e.Test.Incomplete(e.Limit, &e.Stats) }

// ExplainedState is a final state that the condition asks about.
type ExplainedState struct {
	State      litmus.State
	Candidates int          // candidate executions that end in it; 0 if there are only incomplete ones
	Counted    bool         // that is all of them; else there are at least as many
	Consistent int          // those that the model allows
	Witness    *Witness     // one that the model allows; nil if it forbids all
	Flags      []cat.Raised // by the witness
	Reasons    []*Reason    // for a forbidden state, one for each axiom; the most telling comes first

	open bool // a limit was hit, such as the unroll bound: another candidate might be consistent
}

// Race is an execution that makes the behaviour of the program undefined.
type Race struct {
	*Witness
	Flags []cat.Raised // what it raises
}

// Witness is a candidate execution and the choices that the model made for it.
type Witness struct {
	*event.Execution
	Choices []cat.Choice
}

// Outcome says whether the model allows the state.
func (s *ExplainedState) Outcome() Outcome {
	switch {
	case s.Witness != nil:
		return Allowed
	case s.open:
		return Unknown
	}
	return Forbidden
}

// Reason is an axiom that rules out candidates, with the most telling of its
// witnesses.
type Reason struct {
	cat.Violation
	Witness      // the candidate of the violation
	Standing     // of that candidate
	Rejects  int // how many candidates of the state the axiom rejects; 0 if they are not counted

	about  int // how many of the events that the outcome is about are part of the violation
	looked int // how many candidates of this standing have been looked at
}

// Standing is how far from consistent a rejected candidate is.
type Standing struct {
	Likelihood
	RejectedBy int // how many axioms of the model reject it
}

// Likelihood says what kind of candidate it is, apart from what the model says of it.
type Likelihood uint8

// The likelihoods.
const (
	Likely     Likelihood = iota // it keeps what nearly every machine keeps (cat.Model.WithBasics)
	Unlikely                     // it does not
	Incomplete                   // the model chooses a coherence order, but there is none for it
	Disordered                   // it has a coherence order that the model does not choose (cat.Model.CheckingCoherence)
)

// Standing is how far a candidate that the model rejects is from consistent.
func (c *Candidate) Standing(m *cat.Model) (Standing, error) {
	failures, err := m.WithBasics().Failures(c.Execution, c.Choices)
	v := &cat.Verdict{Failures: failures}
	if _, ordered := c.Verdict.Choice("co"); !ordered && m.Chooses("co") {
		v.Incomplete = true
	}
	return standing(v), err
}

// standing is how far the candidate of a verdict is from consistent.
func standing(v *cat.Verdict) Standing {
	s := Standing{RejectedBy: len(ownFailures(v.Failures))}
	switch {
	case v.Incomplete:
		s.Likelihood = Incomplete
	case slices.ContainsFunc(v.Failures, func(f cat.Failure) bool { return f.Basic() }):
		s.Likelihood = Unlikely
	}
	return s
}

// Compare orders standings: what is nearly consistent comes first.
func (s Standing) Compare(t Standing) int {
	return cmp.Or(cmp.Compare(s.Likelihood, t.Likelihood), cmp.Compare(s.RejectedBy, t.RejectedBy))
}

// Decisive is the reasons with a candidate that is as near to being consistent as any: without
// these axioms, the outcome would be allowed. They come first in Reasons.
func (s *ExplainedState) Decisive() []*Reason {
	for i, r := range s.Reasons {
		if r.Standing != s.Reasons[0].Standing {
			return s.Reasons[:i]
		}
	}
	return s.Reasons
}

// Shown is an execution of an explanation, and what it shows.
type Shown struct {
	*Witness
	State  *ExplainedState // nil if it never ends
	Reason *Reason         // nil if the model allows it
}

// Executions lists the executions of an explanation: for each state one that the model allows, or one
// for each decisive reason; then one that never ends.
func (e *Explanation) Executions() []Shown {
	var all []Shown
	for i := range e.Outcomes {
		s := &e.Outcomes[i]
		if s.Witness != nil {
			all = append(all, Shown{s.Witness, s, nil})
		}
		for _, r := range s.Decisive() {
			all = append(all, Shown{&r.Witness, s, r})
		}
	}
	if e.Hang != nil {
		all = append(all, Shown{e.Hang, nil, nil})
	}
	return all
}

// Explain finds the evidence. Models that can be compiled are run on the fast engine
// (explainfast.go); of the others, each candidate is judged.
func (t *Test) Explain(ctx context.Context, m *cat.Model) (*Explanation, error) {
	t.config.Cores.take()
	defer t.config.Cores.give()
	ctx = t.config.Limited(ctx)
	m, err := m.After(t.Program.Rules())
	if err != nil {
		return nil, err
	}
	x, _, err := firstAnswer(ctx, t.means(m).explanations())
	if err == nil {
		x.Race, err = t.race(ctx, m)
	}
	if err == nil && len(x.states) == 0 {
		err = x.absent(ctx)
	}
	if err != nil && !IsLimit(err) {
		return nil, err
	}
	if x.Limit = t.cutShort(ctx, err, &x.Stats); x.Limit == nil && t.Cond.Quant == litmus.Forall && x.Race == nil && !x.allows() {
		if x.Vacuous, err = t.endsNowhere(ctx, m); err != nil && !IsLimit(err) {
			return nil, err
		}
	}
	return x.Explanation, x.conclude()
}

// allows reports whether the model allows a state of the explanation.
func (x *explaining) allows() bool {
	for _, s := range x.states {
		if s.Witness != nil {
			return true
		}
	}
	return false
}

// race finds an execution that makes the behaviour undefined.
func (t *Test) race(ctx context.Context, m *cat.Model) (*Race, error) {
	if !m.MayLeaveUndefined() {
		return nil, nil
	}
	asked := *t
	asked.config.Want = Verdict
	r, _, err := firstAnswer(ctx, asked.means(m).attempts(true))
	if r.race == nil {
		return nil, err
	}
	w := r.race()
	flags, err := m.Flags(w.Execution, w.Choices)
	return &Race{w, flags}, err
}

// explaining is an explanation in the making.
type explaining struct {
	*Explanation
	own     *cat.Model
	model   *cat.Model // with the basics
	states  map[string]*ExplainedState
	besides *explaining // states that are explained already; may be nil
	cut     bool        // not all consistent executions were found
	built   *built
}

func newExplaining(e *Explanation, m *cat.Model) *explaining {
	return &explaining{Explanation: e, own: m, model: m.WithBasics(), states: map[string]*ExplainedState{}}
}

// state is the state of the explanation, or a new one.
func (x *explaining) state(s litmus.State) *ExplainedState {
	key := s.Format(x.Refs)
	if x.states[key] == nil {
		x.states[key] = &ExplainedState{State: s}
	}
	return x.states[key]
}

// naive judges every candidate.
func (x *explaining) naive(ctx context.Context) error {
	var failure error
	incomplete := newExplaining(x.Explanation, x.own) // candidates; of use if there are no others
	err := x.Test.judge(ctx, x.model, x.model.Judge, &x.Stats, nil, func(j judged) bool {
		w := &Witness{j.Execution, j.Choices}
		failed := ownFailures(j.Failures)
		if x.Hang == nil && len(failed) == 0 && j.Hangs() {
			x.Hang = w
		}
		for _, end := range x.Test.ends(j.Execution, x.Refs) {
			if !x.Test.asksFor(end, x.Refs) {
				continue
			}
			to := x
			if j.Incomplete {
				to = incomplete
			}
			s := to.state(end)
			s.Candidates++
			if len(failed) == 0 {
				s.allow(w)
				s.Consistent++
			} else if failure = x.reject(s, w, j.Verdict); failure != nil {
				return false
			}
		}
		return true
	})
	x.add(incomplete, Incomplete)
	x.cut = err != nil
	for _, s := range x.states {
		s.Counted = err == nil
	}
	return cmp.Or(failure, err)
}

// disorderedNaive is disordered for the naive engine.
func (x *explaining) disorderedNaive(ctx context.Context) error {
	checking := x.own.CheckingCoherence()
	if checking == nil {
		return nil
	}
	e := *x.Explanation
	more := newExplaining(&e, checking)
	err := more.naive(ctx)
	x.add(more, Disordered)
	return err
}

// add adds the forbidden states in which only candidates of another likelihood end than those of the model.
func (x *explaining) add(more *explaining, likelihood Likelihood) {
	for key, s := range more.states {
		if x.states[key] != nil || len(s.Reasons) == 0 {
			continue
		}
		s.Candidates, x.states[key] = 0, s
		for _, r := range s.Reasons {
			r.Likelihood, r.Rejects = likelihood, 0
		}
	}
}

// conclude sorts what has been found, and says of allowed states which flags their executions raise.
func (x *explaining) conclude() (err error) {
	for _, s := range x.states {
		s.open = x.cut || x.Stats.Truncated > 0
		if s.Witness != nil {
			s.Reasons = nil
			if s.Flags, err = x.own.Flags(s.Witness.Execution, s.Witness.Choices); err != nil {
				return err
			}
		}
		slices.SortStableFunc(s.Reasons, func(a, b *Reason) int {
			return cmp.Or(
				a.Standing.Compare(b.Standing), cmp.Compare(b.about, a.about), cmp.Compare(b.Rejects, a.Rejects),
			)
		})
		x.Outcomes = append(x.Outcomes, *s)
	}
	slices.SortFunc(x.Outcomes, func(a, b ExplainedState) int { return a.compare(&b) })
	return nil
}

// allow notes a consistent candidate.
func (s *ExplainedState) allow(w *Witness) {
	if s.Witness == nil {
		s.Witness = w
	}
}

// ownFailures are the names of axioms of the model's own that fail, each once: in a forall one may fail for
// several elements.
func ownFailures(failures []cat.Failure) (own []string) {
	for _, f := range failures {
		if !f.Basic() && !slices.Contains(own, f.Name) {
			own = append(own, f.Name)
		}
	}
	return own
}

// enoughWitnesses is how many candidates of the same standing are looked at for a more telling
// witness, fewWitnesses where others are nearer to consistent. Explaining is much slower than judging, and a test can have
// millions of candidates.
const (
	enoughWitnesses = 64
	fewWitnesses    = 4
)

// reject notes a candidate that some axioms reject, and which.
func (x *explaining) reject(s *ExplainedState, w *Witness, v *cat.Verdict) error {
	return x.explain(s, w, ownFailures(v.Failures), standing(v))
}

// explain notes a candidate that some axioms reject, and why each does if that may tell more than what is known.
func (x *explaining) explain(s *ExplainedState, w *Witness, failed []string, standing Standing) error {
	if s.Witness != nil {
		return nil
	}
	tells := s.count(failed, standing)
	if len(tells) == 0 {
		return nil
	}
	violations, err := x.own.ViolationsOf(w.Execution, w.Choices, func(f cat.Failure) bool { return slices.Contains(tells, f.Name) })
	about := x.Test.about(w.Execution)
	for _, v := range violations {
		s.improve(Reason{Violation: v, Witness: *w, Standing: standing, about: touched(&v, about)})
	}
	return err
}

// count notes which axioms reject a candidate. It returns those of which the candidate may tell more than those before.
func (s *ExplainedState) count(failed []string, standing Standing) (tells []string) {
	most := enoughWitnesses
	if slices.ContainsFunc(s.Reasons, func(r *Reason) bool { return r.Standing.Compare(standing) < 0 }) {
		most = fewWitnesses
	}
	for _, name := range failed {
		r := s.reason(name)
		r.Rejects++
		order := standing.Compare(r.Standing)
		if r.Execution == nil || order < 0 {
			r.looked, order = 0, -1
		}
		if order < 0 || order == 0 && r.looked < most {
			tells = append(tells, name)
			r.looked++
		}
	}
	return tells
}

// reason finds the reason of an axiom, or makes an empty one. A check of a procedure is another
// axiom by the name of each call.
func (s *ExplainedState) reason(axiom string) *Reason {
	for _, r := range s.Reasons {
		if r.Name == axiom {
			return r
		}
	}
	r := &Reason{Violation: cat.Violation{Failure: cat.Failure{Name: axiom}}}
	s.Reasons = append(s.Reasons, r)
	return r
}

// improve keeps the more telling witness.
func (s *ExplainedState) improve(r Reason) {
	old := s.reason(r.Name)
	if old.Execution == nil || r.tellsMore(old) {
		old.Violation, old.Witness, old.Standing, old.about = r.Violation, r.Witness, r.Standing, r.about
	}
}

func (r *Reason) tellsMore(than *Reason) bool {
	size := func(r *Reason) int { return len(r.Steps) + len(r.Events) }
	return cmp.Or(r.Standing.Compare(than.Standing), cmp.Compare(than.about, r.about), cmp.Compare(size(r), size(than))) < 0
}

// about is the events that the outcome is about: the reads that the registers of the condition are
// computed from, and the last writes of its locations.
func (t *Test) about(x *event.Execution) map[event.ID]bool {
	events := map[event.ID]bool{}
	litmus.EachRef(t.prop, func(ref *litmus.Ref) {
		reg, loc := t.Program.Observable(*ref)
		if value, set := x.Held(reg); loc == event.NoLoc && set {
			event.EachRead(value, func(n int) { events[x.First[reg.Thread]+n] = true })
		}
		for e, ev := range x.Events {
			if loc != event.NoLoc && ev.Kind == event.Write && x.Loc[e] == loc && x.Co.Row(e).Empty() {
				events[e] = true
			}
		}
	})
	return events
}

// touched counts the events of a set that are part of a violation.
func touched(v *cat.Violation, events map[event.ID]bool) int {
	part := map[event.ID]bool{}
	for _, s := range v.Steps {
		part[s.From], part[s.To] = true, true
	}
	for _, e := range v.Events {
		part[e] = true
	}
	n := 0
	for e := range part {
		if events[e] {
			n++
		}
	}
	return n
}

// asks is the proposition that holds of the final states which the condition asks about.
func (t *Test) asks() litmus.Prop {
	if t.Cond.Quant == litmus.Forall {
		return litmus.Not{X: t.prop}
	}
	return t.prop
}

// asksFor reports that the condition asks about a final state.
func (t *Test) asksFor(s litmus.State, refs []litmus.Ref) bool {
	return t.prop.Eval(s.Lookup(refs)) != (t.Cond.Quant == litmus.Forall)
}

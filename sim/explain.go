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
	// Alone says that states besides allowed ones were not looked for: there are too many values that
	// reads may return.
	Alone bool
	// Uncounted says that of each allowed state only one consistent execution is counted.
	Uncounted bool
	Absence   Absence  // why there are no Outcomes; Present if there are, or if that is not known
	Hang      *Witness // an execution that the model allows and that never ends; nil if there is none
	// Race is an execution that the model allows and that makes the behaviour undefined, as a race does;
	// nil if there is none.
	Race *Race
	// Vacuous says that no execution that the model allows has a final state, so that a forall is about
	// nothing (Result.Vacuous).
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

// Explain finds the evidence: executions that end as the condition asks for, which the model allows, or
// which it rejects with the axioms that do. Models that can be compiled are explained by their plans
// (explainnearest.go); of others, each candidate is judged.
func (t *Test) Explain(ctx context.Context, m *cat.Model) (*Explanation, error) {
	t.config.Cores.take()
	defer t.config.Cores.give()
	m, err := m.After(t.Program.Rules())
	if err != nil {
		return nil, err
	}
	q := t.question()
	q.program = &kept{Program: t.Program}
	x, err := q.under(m).explain(t.config.Limited(ctx))
	if err != nil {
		return nil, err
	}
	return x.Explanation, x.conclude()
}

// explain finds the evidence, as far as limits let it.
func (w means) explain(ctx context.Context) (*explaining, error) {
	t := w.ask.test
	x, _, _, err := firstAnswer(ctx, w.explanations())
	if err == nil {
		x.Race, err = w.race(ctx)
	}
	if err == nil && len(x.states) == 0 {
		err = x.absent(ctx)
	}
	if err != nil && !IsLimit(err) {
		return nil, err
	}
	x.Limit = t.cutShort(ctx, err, &x.Stats)
	if x.Limit == nil && t.Cond.Quant == litmus.Forall && x.Race == nil && !x.allows() {
		if x.Vacuous, err = t.endsNowhere(ctx, w.model); err != nil && !IsLimit(err) {
			return nil, err
		}
	}
	return x, nil
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
func (w means) race(ctx context.Context) (*Race, error) {
	if !w.model.MayLeaveUndefined() {
		return nil, nil
	}
	w.ask.want, w.ask.race = Verdict, true
	r, err := w.answer(ctx)
	if r.race == nil {
		return nil, err
	}
	x := r.race()
	flags, err := w.model.Flags(x.Execution, x.Choices)
	return &Race{x, flags}, err
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

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

// Explanation is the evidence for an answer: for each final state that the condition asks about, an
// allowed execution or the axioms that forbid the state.
type Explanation struct {
	Test     *Test
	Refs     []litmus.Ref
	Outcomes []ExplainedState // sorted by state
	// Partial reports that there are too many candidates to examine all of them. Forbidden states
	// may be missing.
	Partial bool
	// Alone reports that only one allowed state was looked for, because reads have too many values.
	Alone bool
	// Uncounted reports that one consistent execution is counted per allowed state.
	Uncounted bool
	// why there are no Outcomes; Present if there are some, or if the reason is unknown
	Absence Absence
	Hang    *Witness // an allowed execution that never ends, or nil
	// Race is an allowed execution that makes the behaviour undefined, as a race does, or nil.
	Race *Race
	// Vacuous reports that no allowed execution has a final state (Result.Vacuous).
	Vacuous bool
	Engine  Engine
	Reason  string // why Engine is Naive; "" if it was asked for
	Stats   enumerate.Stats
	Work    Work  // of all searches: Steps and Learnt
	Limit   error // the limit that cut the explanation short, or nil
}

// Incomplete returns the limit that cut the explanation short, as text, or "".
func (e *Explanation) Incomplete() string { return e.Test.Incomplete(e.Limit, &e.Stats) }

// ExplainedState is a final state that the condition asks about.
type ExplainedState struct {
	State      litmus.State
	Candidates int          // the candidates that end in it; 0 if all are incomplete
	Counted    bool         // Candidates is exact; otherwise it is a lower bound
	Consistent int          // allowed candidates
	Witness    *Witness     // an allowed execution; nil if all are forbidden
	Flags      []cat.Raised // raised by the witness
	Reasons    []*Reason    // for a forbidden state: one reason per axiom, the most telling first

	// a limit was hit, such as the unroll bound: an unexamined candidate might be consistent
	open bool
}

// Race is an execution that makes the behaviour of the program undefined.
type Race struct {
	*Witness
	Flags []cat.Raised // the flags that it raises
}

// Witness is a candidate execution and the choices that the model made for it.
type Witness struct {
	*event.Execution
	Choices []cat.Choice
}

// Outcome returns whether the model allows the state.
func (s *ExplainedState) Outcome() Outcome {
	switch {
	case s.Witness != nil:
		return Allowed
	case s.open:
		return Unknown
	}
	return Forbidden
}

// Reason is an axiom that forbids candidates, with the most telling violation found.
type Reason struct {
	cat.Violation
	Witness      // the candidate of the violation
	Standing     // of that candidate
	Rejects  int // the candidates of the state that the axiom rejects; 0 if not counted

	about  int // the events that the outcome is about and that are part of the violation
	looked int // the candidates of this standing examined
}

// Standing is the distance of a rejected candidate from consistency.
type Standing struct {
	Likelihood
	RejectedBy int // the number of axioms of the model that reject it
}

// Likelihood is the kind of a candidate, independent of the axioms of the model.
type Likelihood uint8

// The likelihoods.
const (
	// it satisfies the basic axioms, which nearly every machine does (cat.Model.WithBasics)
	Likely     Likelihood = iota
	Unlikely              // it violates a basic axiom
	Incomplete            // the model chooses a coherence order, but has none for it
	// it has a coherence order that the model does not choose (cat.Model.CheckingCoherence)
	Disordered
)

// Standing returns the distance from consistency of a candidate that the model rejects.
func (c *Candidate) Standing(m *cat.Model) (Standing, error) {
	failures, err := m.WithBasics().Failures(c.Execution, c.Choices)
	v := &cat.Verdict{Failures: failures}
	if _, ordered := c.Verdict.Choice("co"); !ordered && m.Chooses("co") {
		v.Incomplete = true
	}
	return standing(v), err
}

// standing returns the Standing of the candidate with a verdict.
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

// Compare orders standings: nearer to consistent first.
func (s Standing) Compare(t Standing) int {
	return cmp.Or(cmp.Compare(s.Likelihood, t.Likelihood), cmp.Compare(s.RejectedBy, t.RejectedBy))
}

// Decisive returns the reasons whose candidate is nearest to consistent. Without these axioms the
// outcome would be allowed. They come first in Reasons.
func (s *ExplainedState) Decisive() []*Reason {
	for i, r := range s.Reasons {
		if r.Standing != s.Reasons[0].Standing {
			return s.Reasons[:i]
		}
	}
	return s.Reasons
}

// Shown is an execution of an explanation, with what it shows.
type Shown struct {
	*Witness
	State  *ExplainedState // nil if the execution never ends
	Reason *Reason         // nil if the model allows the execution
}

// Executions lists the executions of an explanation: for each state, an allowed one or one per
// decisive reason; then one that never ends.
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

// Explain finds the evidence for an answer: executions that end as the condition asks, either
// allowed or with the axioms that reject them. A model that can be compiled is explained by its
// plan (explainnearest.go). For others, every candidate is judged.
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

// explain finds the evidence within the limits.
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

// race returns an allowed execution that makes the behaviour undefined, or nil.
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

// asks returns the proposition of the final states that the condition asks about.
func (t *Test) asks() litmus.Prop {
	if t.Cond.Quant == litmus.Forall {
		return litmus.Not{X: t.prop}
	}
	return t.prop
}

// asksFor reports whether the condition asks about a final state.
func (t *Test) asksFor(s litmus.State, refs []litmus.Ref) bool {
	return t.prop.Eval(s.Lookup(refs)) != (t.Cond.Quant == litmus.Forall)
}

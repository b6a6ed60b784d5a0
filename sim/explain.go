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
	Hang     *Witness         // an execution that the model allows and that never ends; nil if there is none
	Stats    enumerate.Stats
	Limit    error // why the enumeration was cut short; nil if it is complete
}

// Incomplete says what cut the explanation short; "" if nothing did.
func (e *Explanation) Incomplete() string { return e.Test.Incomplete(e.Limit, &e.Stats) }

// ExplainedState is a final state that the condition asks about.
type ExplainedState struct {
	State      litmus.State
	Candidates int       // candidate executions that end in it
	Consistent int       // those that the model allows
	Witness    *Witness  // one that the model allows; nil if it forbids all
	Reasons    []*Reason // for a forbidden state, one for each axiom; the one that rejects most comes first

	open bool // a limit was hit, such as the unroll bound: another candidate might be consistent
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
// witnesses: on a candidate that the fewest axioms reject, the shortest.
type Reason struct {
	cat.Violation
	Witness        // the candidate of the violation
	Rejects    int // how many candidates of the state the axiom rejects
	RejectedBy int // how many axioms reject Witness

	looked int // how many candidates with this RejectedBy have been looked at
}

// Explain finds the evidence. It evaluates the model a second time on the candidates
// that it rejects, so it is slower than Run.
func (t *Test) Explain(ctx context.Context, m *cat.Model) (*Explanation, error) {
	e := &Explanation{Test: t, Refs: t.Observables()}
	states := map[string]*ExplainedState{}
	var failure error
	ctx = t.config.Limited(ctx)
	err := t.candidates(ctx, m, &e.Stats, func(j judged) bool {
		if e.Hang == nil && j.Allowed() && j.Hangs() {
			e.Hang = &Witness{j.Execution, j.Choices}
		}
		for _, state := range t.ends(j.Execution, e.Refs) {
			if !t.asksFor(state, e.Refs) {
				continue
			}
			key := state.Format(e.Refs)
			if states[key] == nil {
				states[key] = &ExplainedState{State: state}
			}
			if failure = states[key].add(m, j); failure != nil {
				return false
			}
		}
		return true
	})
	if err == nil {
		err = failure
	}
	if err != nil && !IsLimit(err) {
		return nil, err
	}
	e.Limit = t.cutShort(err, &e.Stats)
	for _, s := range states {
		s.open = e.Limit != nil
		if s.Witness != nil {
			s.Reasons = nil
		}
		slices.SortStableFunc(s.Reasons, func(a, b *Reason) int { return cmp.Compare(b.Rejects, a.Rejects) })
		e.Outcomes = append(e.Outcomes, *s)
	}
	slices.SortFunc(e.Outcomes, func(a, b ExplainedState) int { return litmus.CompareStates(a.State, b.State) })
	return e, nil
}

// asksFor reports that the condition asks about a final state.
func (t *Test) asksFor(s litmus.State, refs []litmus.Ref) bool {
	return t.prop.Eval(s.Lookup(refs)) != (t.Cond.Quant == litmus.Forall)
}

// add counts a candidate that ends in the state.
func (s *ExplainedState) add(m *cat.Model, j judged) error {
	s.Candidates++
	if j.Allowed() {
		s.Consistent++
		if s.Witness == nil {
			s.Witness = &Witness{j.Execution, j.Choices}
		}
		return nil
	}
	if s.Witness != nil {
		return nil
	}
	failures, err := m.Failures(j.Execution, j.Choices)
	failed := eachOnce(failures)
	if err != nil || !s.count(failed) {
		return err
	}
	violations, err := m.Violations(j.Execution, j.Choices)
	for _, v := range violations {
		s.improve(Reason{Violation: v, Witness: Witness{j.Execution, j.Choices}, RejectedBy: len(failed)})
	}
	return err
}

// eachOnce drops the failures of an axiom after its first: in a forall it may fail for several
// elements.
func eachOnce(failures []cat.Failure) []cat.Failure {
	var once []cat.Failure
	for _, f := range failures {
		if !slices.Contains(once, f) {
			once = append(once, f)
		}
	}
	return once
}

// enoughWitnesses is how many candidates, rejected by equally many axioms, are looked
// at for a shorter witness. Explaining is much slower than judging, and a test can have
// millions of candidates.
const enoughWitnesses = 64

// count notes which axioms reject a candidate. It reports whether the candidate may
// tell more about one of them than those before.
func (s *ExplainedState) count(failed []cat.Failure) bool {
	tellsMore := false
	for _, f := range failed {
		r := s.reason(f)
		r.Rejects++
		switch {
		case r.Execution == nil || len(failed) < r.RejectedBy:
			r.looked = 0
			tellsMore = true
		case len(failed) == r.RejectedBy && r.looked < enoughWitnesses:
			tellsMore = true
		}
		r.looked++
	}
	return tellsMore
}

// reason finds the reason for a failure, or makes an empty one. A check of a procedure is another
// axiom by the name of each call.
func (s *ExplainedState) reason(f cat.Failure) *Reason {
	for _, r := range s.Reasons {
		if r.Failure == f {
			return r
		}
	}
	r := &Reason{Violation: cat.Violation{Failure: f}}
	s.Reasons = append(s.Reasons, r)
	return r
}

// improve keeps the more telling witness.
func (s *ExplainedState) improve(r Reason) {
	old := s.reason(r.Failure)
	if old.Execution == nil || r.tellsMore(old) {
		old.Violation, old.Witness, old.RejectedBy = r.Violation, r.Witness, r.RejectedBy
	}
}

func (r *Reason) tellsMore(than *Reason) bool {
	if r.RejectedBy != than.RejectedBy {
		return r.RejectedBy < than.RejectedBy
	}
	return len(r.Steps)+len(r.Events) < len(than.Steps)+len(than.Events)
}

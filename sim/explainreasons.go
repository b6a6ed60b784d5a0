package sim

import (
	"cmp"
	"context"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
)

// explaining is an explanation under construction.
type explaining struct {
	*Explanation
	ask     question
	own     *cat.Model
	model   *cat.Model // own with the basic axioms
	states  map[string]*ExplainedState
	besides *explaining // states explained already, or nil
	cut     bool        // some consistent executions may be missing
}

func newExplaining(q question, e *Explanation, m *cat.Model) *explaining {
	return &explaining{Explanation: e, ask: q, own: m, model: m.WithBasics(), states: map[string]*ExplainedState{}}
}

// state returns the state of the explanation. It makes it if it is new.
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
	// incomplete candidates; used for states without others
	incomplete := newExplaining(x.ask, x.Explanation, x.own)
	err := x.ask.judge(ctx, x.model, x.model.Judge, &x.Stats, nil, func(j judged) bool {
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

// disorderedNaive is the explanation by disordered candidates (Disordered), by the naive engine.
func (x *explaining) disorderedNaive(ctx context.Context) error {
	checking := x.own.CheckingCoherence()
	if checking == nil {
		return nil
	}
	e := *x.Explanation
	more := newExplaining(x.ask, &e, checking)
	err := more.naive(ctx)
	x.add(more, Disordered)
	return err
}

// add adds forbidden states that only candidates of another likelihood end in.
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

// conclude sorts the outcomes and reasons, and finds the flags of allowed states.
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

// allow records a consistent candidate.
func (s *ExplainedState) allow(w *Witness) {
	if s.Witness == nil {
		s.Witness = w
	}
}

// ownFailures returns the distinct names of the model's own axioms that fail. An axiom in a forall
// may fail for several elements.
func ownFailures(failures []cat.Failure) (own []string) {
	for _, f := range failures {
		if !f.Basic() && !slices.Contains(own, f.Name) {
			own = append(own, f.Name)
		}
	}
	return own
}

// enoughWitnesses bounds the candidates of one standing that are examined for a more telling
// violation, and fewWitnesses those that are farther from consistent than others. Explaining is
// much slower than judging, and a test can have millions of candidates.
const (
	enoughWitnesses = 64
	fewWitnesses    = 4
)

// reject records a candidate and the axioms that reject it.
func (x *explaining) reject(s *ExplainedState, w *Witness, v *cat.Verdict) error {
	return x.explain(s, w, ownFailures(v.Failures), standing(v))
}

// explain records a candidate and the axioms that reject it. It explains the violations only if
// they may be more telling than the known ones.
func (x *explaining) explain(s *ExplainedState, w *Witness, failed []string, standing Standing) error {
	if s.Witness != nil {
		return nil
	}
	tells := s.count(failed, standing)
	if len(tells) == 0 {
		return nil
	}
	told := func(f cat.Failure) bool { return slices.Contains(tells, f.Name) }
	violations, err := x.own.ViolationsOf(w.Execution, w.Choices, told)
	about := x.Test.about(w.Execution)
	for _, v := range violations {
		s.improve(Reason{Violation: v, Witness: *w, Standing: standing, about: touched(&v, about)})
	}
	return err
}

// count counts a candidate for each axiom that rejects it. It returns the axioms for which the
// candidate may be more telling than the earlier ones.
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

// reason returns the reason of an axiom. It makes an empty one if it is new. A check of a procedure
// has another name, and so is another axiom, in each call.
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

// improve keeps the more telling violation.
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

// about returns the events that the outcome is about: the reads that the condition's registers are
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

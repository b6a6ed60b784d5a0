package play

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// mostStates bounds the final states that are listed. The shipped tests have at most 2187.
const mostStates = 3000

// mostTelling selects at most mostStates states, in this order: those that the condition asks
// about, if they can happen or are to be ruled out; states on which models differ; states that a
// model allows; others.
func mostTelling(t *sim.Test, states []row) []row {
	isForall := t.Cond.Quant == litmus.Forall
	rank := func(s row) int {
		switch {
		case isForall && !s.Satisfies && s.isAllowed(), !isForall && s.Satisfies:
			return 0
		case s.differs():
			return 1
		case s.isAllowed():
			return 2
		}
		return 3
	}
	slices.SortStableFunc(states, func(a, b row) int { return cmp.Compare(rank(a), rank(b)) })
	states = states[:mostStates]
	sortStates(states)
	return states
}

// row is a state in which some candidate execution ends, in the table of states and models.
type row struct {
	wire.Row
	state litmus.State
}

// isAllowed reports whether some model allows the state.
func (s *row) isAllowed() bool {
	return slices.ContainsFunc(s.Counts, func(n *int) bool { return n != nil && *n > 0 })
}

// differs reports whether one model allows the state and another forbids it.
func (s *row) differs() bool {
	return s.isAllowed() && slices.ContainsFunc(s.Counts, func(n *int) bool { return n != nil && *n == 0 })
}

func sortStates(states []row) {
	slices.SortStableFunc(states, func(a, b row) int { return litmus.CompareStates(a.state, b.state) })
}

func tooManyStates(t *sim.Test, all int) wire.Diagnostic {
	return wire.Diagnostic{
		Of: ofTest, Severity: src.Warning.String(), Range: rangeOf(t.Cond.At),
		Message: fmt.Sprintf("the test has %d final states or more, of which %d are listed", all, mostStates),
	}
}

// table has the final states of a test, with the counts of models.
type table struct {
	test    *sim.Test
	results []*sim.Result // of the models; nil for one that has errors
	rows    []row
	index   map[string]int // of rows, by their keys
}

func newTable(t *sim.Test, results []*sim.Result) *table {
	return &table{test: t, results: results, index: map[string]int{}}
}

// row returns the row of a final state of the test, which it adds if necessary.
func (t *table) row(state litmus.State, satisfies bool) *row {
	key := state.Format(t.test.Observables())
	n, ok := t.index[key]
	if !ok {
		n = len(t.rows)
		t.index[key] = n
		t.rows = append(t.rows, newState(t.test, key, state, satisfies, t.results))
	}
	return &t.rows[n]
}

// addAllowed adds the states that the models allow.
func (t *table) addAllowed() {
	for m, r := range t.results {
		if r == nil {
			continue
		}
		for i := range r.States {
			s := &r.States[i]
			t.row(r.Test.Original(s.State()), s.Satisfies).Counts[m] = &s.Count
		}
	}
}

// addCandidates adds the states in which other candidate executions end. They are optional: the
// allowed states are known by then. The error is a limit (sim.IsLimit) if there is not enough time
// for all candidates.
func (t *table) addCandidates() error {
	judged := map[*litmus.Format]*sim.Test{} // the test, or its translation
	for _, r := range t.results {
		if r != nil {
			judged[r.Test.Format] = r.Test
		}
	}
	if len(judged) == 0 {
		judged[t.test.Format] = t.test
	}
	var failed error
	for _, as := range judged {
		candidates, err := as.Ends(within(extraTime))
		if err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		for i := range candidates.States {
			s := &candidates.States[i]
			t.row(as.Original(s.State()), s.Satisfies)
		}
		if candidates.Limit != nil && !sim.IsBound(candidates.Limit) {
			failed = cmp.Or(failed, candidates.Limit)
		}
	}
	return failed
}

// hasAsked reports whether some row has an outcome that the condition asks for.
func (t *table) hasAsked() bool {
	return slices.ContainsFunc(t.rows, func(r row) bool { return r.Satisfies != (t.test.Cond.Quant == litmus.Forall) })
}

// explain adds the states that the condition asks for and a model forbids, as far as package sim
// explains any. If it explains none, the reason says why, as the end of a sentence.
func (t *table) explain(ctx context.Context, r *sim.Result, m *models.Model) (reason string, err error) {
	x, err := r.Test.Explain(ctx, m.Model)
	if err != nil {
		return "", err
	}
	for i := range x.Outcomes {
		t.row(r.Test.Original(x.Outcomes[i].State), r.Test.Cond.Quant != litmus.Forall)
	}
	if len(x.Outcomes) > 0 {
		return "", nil
	}
	return absence(x, len(r.States) == 0), nil
}

// absence says why an explanation has no state that the condition asks for. endless reports whether
// the model allows no final state.
func absence(x *sim.Explanation, endless bool) string {
	hang := ""
	if x.Hang != nil {
		hang = "; an execution that never ends is allowed: " + sim.Hanging(x.Hang.Execution)
	}
	switch {
	case x.Absence != sim.Present:
		return x.Absence.String() + hang
	case endless && x.Hang != nil:
		return "no execution that the model allows comes to an end: " + sim.Hanging(x.Hang.Execution)
	case x.Limit != nil:
		return "the model allows none; looking for one that it forbids was cut short: " + x.Incomplete() + hang
	}
	return "the model allows none; there are too many executions to find one that it forbids" + hang
}

// sorted returns the rows in the order of their states.
func (t *table) sorted() []row {
	sortStates(t.rows)
	return t.rows
}

// newState returns a state that no model allows so far.
func newState(t *sim.Test, key string, state litmus.State, satisfies bool, results []*sim.Result) row {
	s := row{
		Row:   wire.Row{Key: key, Values: []wire.Value{}, Satisfies: satisfies, Counts: make([]*int, len(results))},
		state: state,
	}
	for i, ref := range t.Observables() {
		s.Values = append(s.Values, wire.Value{Name: ref.String(), Value: state[i].String()})
	}
	for m, r := range results {
		if r != nil && r.NotFound() == sim.Forbidden {
			s.Counts[m] = new(int)
		}
	}
	return s
}

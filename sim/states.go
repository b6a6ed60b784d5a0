package sim

import (
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/final"
	"github.com/muster-gpu/muster/internal/plan"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/litmus"
)

// StateCount is a final state and how many consistent executions can end in it. An execution
// whose writes race may end in several.
type StateCount struct {
	Count     int
	Satisfies bool // the proposition of the condition
	ending
}

// State is the final state: the values of Test.Observables.
func (s StateCount) State() litmus.State { return s.appendState(nil) }

// Witness is one of the executions that end in the state.
func (s StateCount) Witness() *Witness { return s.witness() }

// ending is a final state as the engine has it that has found it. There may be a million of them, so words and executions are
// made when somebody asks for them.
type ending interface {
	appendState(litmus.State) litmus.State
	witness() *Witness
}

// told is an ending in the words of the test.
type told struct {
	state litmus.State
	find  func() *Witness
}

func (e *told) appendState(to litmus.State) litmus.State { return append(to, e.state...) }
func (e *told) witness() *Witness                        { return e.find() }

// solved is an ending as the fast engine has it.
type solved struct {
	*solve.State
	by *words
}

// words is what is needed to put the endings that the fast engine has found into words.
type words struct {
	test  *Test
	model *cat.Model
	plan  *plan.Plan
	asks  final.Formula // Test.asks
}

func (e *solved) witness() *Witness { return witness(e.by.model, e.by.plan, &e.Witness) }

func (e *solved) appendState(to litmus.State) litmus.State {
	var few [8]event.Value
	for _, v := range e.AppendValues(few[:0]) {
		to = append(to, e.by.test.Program.Value(v))
	}
	return to
}

// compare orders states by their values.
func (s StateCount) compare(t StateCount) int {
	a, fast := s.ending.(*solved)
	if b, too := t.ending.(*solved); fast && too {
		value := a.by.test.Program.Value
		return a.Compare(b.State, func(v, w event.Value) int { return value(v).Compare(value(w)) })
	}
	return litmus.CompareStates(s.State(), t.State())
}

// take adds the states that the fast engine has found.
func (r *Result) take(by *words, found []*solve.State) {
	r.States = slices.Grow(r.States, len(found))
	forall := by.test.Cond.Quant == litmus.Forall // then the condition asks for what does not satisfy its proposition
	endings, values := make([]solved, len(found)), make([]event.Value, 0, len(by.test.Observables()))
	for i, s := range found {
		endings[i] = solved{s, by}
		values = s.AppendValues(values[:0])
		r.States = append(r.States, StateCount{Count: s.Count, Satisfies: final.Holds(by.asks, values) != forall, ending: &endings[i]})
	}
}

// sum sorts the states and counts those that satisfy the condition.
func (r *Result) sum() {
	for i := range r.States {
		if s := &r.States[i]; s.Satisfies {
			r.Positive = solve.Add(r.Positive, s.Count)
		} else {
			r.Negative = solve.Add(r.Negative, s.Count)
		}
	}
	slices.SortFunc(r.States, StateCount.compare)
}

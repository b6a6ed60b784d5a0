package sim

import (
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/litmus"
)

// StateCount is a final state with the number of consistent executions that can end in it. An
// execution with racing writes may end in several states.
type StateCount struct {
	Count     int
	Satisfies bool // the proposition of the condition
	ending
}

// State returns the final state: the values of Test.Observables.
func (s StateCount) State() litmus.State { return s.appendState(nil) }

// Witness returns an execution that ends in the state.
func (s StateCount) Witness() *Witness { return s.witness() }

// ending is a final state in the form in which an engine found it. There may be a million of them,
// so states and executions are converted on demand.
type ending interface {
	appendState(litmus.State) litmus.State
	witness() *Witness
}

// judgedEnding is an ending found by the naive engine.
type judgedEnding struct {
	state litmus.State
	shown *Witness
}

func (e *judgedEnding) appendState(to litmus.State) litmus.State { return append(to, e.state...) }
func (e *judgedEnding) witness() *Witness                        { return e.shown }

// planEnding is an ending found by an engine that runs the plan of the model.
type planEnding struct {
	*engine.State
	by *words
}

// words converts the endings of engines into the words of the test.
type words struct {
	test  *Test
	model *cat.Model
	plan  *plan.Plan
	asks  final.Formula // Test.asks
}

func (e *planEnding) witness() *Witness { return e.by.witness(e.Evidence) }

func (by *words) witness(of engine.Evidence) *Witness { return witness(by.model, by.plan, of) }

// witness returns the witness of an engine, with the choices that the model names.
func witness(m *cat.Model, p *plan.Plan, of engine.Evidence) *Witness {
	found := of.Witness()
	w := &Witness{Execution: found.Execution}
	for i, c := range p.Choices {
		if m.Chooses(c.Name) {
			w.Choices = append(w.Choices, cat.ChooseRel(c.Name, found.Choices[i]))
		}
	}
	return w
}

func (e *planEnding) appendState(to litmus.State) litmus.State {
	var few [8]event.Value
	for _, v := range e.AppendValues(few[:0]) {
		to = append(to, e.by.test.Program.Value(v))
	}
	return to
}

// compare orders states by their values.
func (s StateCount) compare(t StateCount) int {
	a, ofPlan := s.ending.(*planEnding)
	if b, too := t.ending.(*planEnding); ofPlan && too {
		value := a.by.test.Program.Value
		return a.Compare(b.State, func(v, w event.Value) int { return value(v).Compare(value(w)) })
	}
	return litmus.CompareStates(s.State(), t.State())
}

// take adds the states that an engine has found.
func (r *Result) take(by *words, found []*engine.State) {
	r.States = slices.Grow(r.States, len(found))
	// a forall asks about states that do not satisfy its proposition
	forall := by.test.Cond.Quant == litmus.Forall
	endings, values := make([]planEnding, len(found)), make([]event.Value, 0, len(by.test.Observables()))
	for i, s := range found {
		endings[i] = planEnding{s, by}
		values = s.AppendValues(values[:0])
		r.States = append(r.States, StateCount{Count: s.Count, Satisfies: final.Holds(by.asks, values) != forall, ending: &endings[i]})
	}
}

// sum sorts the states and computes Positive and Negative.
func (r *Result) sum() {
	for i := range r.States {
		if s := &r.States[i]; s.Satisfies {
			r.Positive = engine.Add(r.Positive, s.Count)
		} else {
			r.Negative = engine.Add(r.Negative, s.Count)
		}
	}
	slices.SortFunc(r.States, StateCount.compare)
}

package check

import (
	"slices"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// Judgement is the answer of a model about a test, to be compared with what chips showed.
type Judgement struct {
	*sim.Result
	Model *models.Model
}

// Outside reports whether the model does not cover the test, either by a flag or because the
// behaviour is undefined.
func (j *Judgement) Outside() bool {
	return slices.Contains(j.Flags, sim.OutsideModel) || len(j.Undefined) > 0
}

// Predict returns the prediction about an outcome for which the model has this answer.
func (j *Judgement) Predict(says sim.Outcome) observe.Prediction {
	return observe.Prediction{Allowed: says == sim.Allowed, Unknown: says == sim.Unknown, Outside: j.Outside()}
}

// Compare compares a row of a table, which counts the condition's outcome, with the model.
func (j *Judgement) Compare(r observe.Run, d observe.Device) observe.Finding {
	return observe.Compare(r, d, j.Predict(j.Outcome()), j.Model.Chips)
}

// AskedFor reports whether the condition of a test asks for a final state. The state has a value
// for each observable of the test. A forall asks for the states that refute it.
func AskedFor(t *sim.Test, o litmus.Outcome) bool {
	state := make(litmus.State, len(o.Values))
	for i, v := range o.Values {
		state[i] = v.Value
	}
	holds := t.Program.Normalize(t.Cond.Prop).Eval(state.Lookup(t.Observables()))
	return holds != (t.Cond.Quant == litmus.Forall)
}

package check

import (
	"slices"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// Judgement is what a model says of a test, to set against it what chips showed.
type Judgement struct {
	*sim.Result
	Model *models.Model
}

// Outside reports that the model does not speak of the test: by a flag of its own, or because
// the behaviour is undefined.
func (j *Judgement) Outside() bool {
	return slices.Contains(j.Flags, sim.OutsideModel) || len(j.Undefined) > 0
}

// Predict is what an observation is judged by, if it is of something of which the model says so.
func (j *Judgement) Predict(says sim.Outcome) observe.Prediction {
	return observe.Prediction{Allowed: says == sim.Allowed, Unknown: says == sim.Unknown, Outside: j.Outside()}
}

// Compare says how a row of a table, which is about what the condition asks for, stands to the
// model.
func (j *Judgement) Compare(r observe.Run, d observe.Device) observe.Finding {
	return observe.Compare(r, d, j.Predict(j.Outcome()), j.Model.Chips)
}

// AskedFor reports that the condition of a test asks for a final state, which is of all that the test shows. A forall asks for what
// refutes it.
func AskedFor(t *sim.Test, o litmus.Outcome) bool {
	state := make(litmus.State, len(o.Values))
	for i, v := range o.Values {
		state[i] = v.Value
	}
	holds := t.Program.Normalize(t.Cond.Prop).Eval(state.Lookup(t.Observables()))
	return holds != (t.Cond.Quant == litmus.Forall)
}

package probe

import (
	"context"
	"slices"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Comparison is the answers of several models about one test.
type Comparison struct {
	Test    *sim.Test
	Results []*sim.Result // by model
}

// Compare runs a test under models. For a model with a target language, the test is translated.
func Compare(ctx context.Context, t *sim.Test, asked ...*models.Model) (*Comparison, error) {
	c := &Comparison{Test: t}
	for _, m := range asked {
		as, err := t.For(m.Target)
		if err != nil {
			return nil, err
		}
		r, err := as.Run(ctx, m.Model)
		if err != nil {
			return nil, err
		}
		c.Results = append(c.Results, r)
	}
	return c, nil
}

// Outcomes returns the models' answers about the condition's outcome.
func (c *Comparison) Outcomes() []sim.Outcome {
	var all []sim.Outcome
	for _, r := range c.Results {
		all = append(all, r.Outcome())
	}
	return all
}

// Differs reports whether the models contradict each other in the outcome or, with states, in the
// final states: one allows a state that another model, whose answer is complete, does not have.
func (c *Comparison) Differs(states bool) bool {
	if sim.Contradict(c.Outcomes()...) {
		return true
	}
	for _, r := range c.Results {
		for _, other := range c.Results {
			if states && other.Limit == nil && slices.ContainsFunc(r.States, lacking(other, r.Test)) {
				return true
			}
		}
	}
	return false
}

// lacking returns a predicate that reports whether a state of a test is not among the states of a
// result. Either may belong to a translation.
func lacking(r *sim.Result, of *sim.Test) func(sim.StateCount) bool {
	return func(s sim.StateCount) bool {
		state := of.Original(s.State())
		return !slices.ContainsFunc(r.States, func(t sim.StateCount) bool {
			return litmus.CompareStates(state, r.Test.Original(t.State())) == 0
		})
	}
}

// Open reports whether the models may differ, because an answer is unknown.
func (c *Comparison) Open(states bool) bool {
	return slices.ContainsFunc(c.Results, func(r *sim.Result) bool {
		return r.Outcome() == sim.Unknown || states && r.Limit != nil
	})
}

// Alone returns the index of the model that alone allows the outcome while all others forbid it, or
// -1. It does not count models under which the behaviour is undefined.
func (c *Comparison) Alone() int {
	outcomes := c.Outcomes()
	i := slices.Index(outcomes, sim.Allowed)
	if i < 0 {
		return -1
	}
	others := slices.Delete(slices.Clone(outcomes), i, i+1)
	if slices.ContainsFunc(others, func(o sim.Outcome) bool { return o != sim.Forbidden }) {
		return -1
	}
	return i
}

// Showing returns an execution by which one model allows the outcome that another forbids, with its
// final state in terms of the original test and the index of the model. It returns nil if no two
// models contradict each other in this way.
func (c *Comparison) Showing() (w *sim.Witness, state litmus.State, model int) {
	outcomes := c.Outcomes()
	model = slices.Index(outcomes, sim.Allowed)
	if model < 0 || !slices.Contains(outcomes, sim.Forbidden) {
		return nil, nil, -1
	}
	r := c.Results[model]
	i := slices.IndexFunc(r.States, func(s sim.StateCount) bool {
		return s.Satisfies != (c.Test.Cond.Quant == litmus.Forall)
	})
	return r.States[i].Witness(), r.Test.Original(r.States[i].State()), model
}

package probe

import (
	"context"
	"slices"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Comparison is what several models say of one test.
type Comparison struct {
	Test    *sim.Test
	Results []*sim.Result // by model
}

// Compare runs a test under models, translated for those with a target.
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

// Outcomes is what the models say of the outcome that the condition asks for.
func (c *Comparison) Outcomes() []sim.Outcome {
	var all []sim.Outcome
	for _, r := range c.Results {
		all = append(all, r.Outcome())
	}
	return all
}

// Differs reports that the models contradict each other in the outcome, or in the states if
// they count: one allows what another, of which all is known, does not.
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

// lacking reports of a state of a test that it is none of those of the result: one or both may be of translations.
func lacking(r *sim.Result, of *sim.Test) func(sim.StateCount) bool {
	return func(s sim.StateCount) bool {
		state := of.Original(s.State())
		return !slices.ContainsFunc(r.States, func(t sim.StateCount) bool {
			return litmus.CompareStates(state, r.Test.Original(t.State())) == 0
		})
	}
}

// Open reports that the models may differ, for all that is known.
func (c *Comparison) Open(states bool) bool {
	return slices.ContainsFunc(c.Results, func(r *sim.Result) bool {
		return r.Outcome() == sim.Unknown || states && r.Limit != nil
	})
}

// Alone is the model that alone allows the outcome while all others forbid it; -1 if there is
// none. Where a program may do anything, that is another matter.
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

// Showing is an execution by which a model allows the outcome that another forbids, its final state in the words of the test, and
// the model; nil if no two contradict each other so.
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

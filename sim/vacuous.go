package sim

import (
	"context"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/litmus"
)

// checkVacuous notes whether the condition of a result is a forall over no final state: every execution that the model allows hangs,
// the filter leaves none, or the model allows none. A complete search without a counterexample comes before.
func (t *Test) checkVacuous(ctx context.Context, m *cat.Model, r *Result) (err error) {
	if t.Cond.Quant == litmus.Forall && r.Positive == 0 && r.Negative == 0 && len(r.Undefined) == 0 {
		r.Vacuous, err = t.endsNowhere(ctx, m)
	}
	return err
}

// endsNowhere reports whether no execution that the model allows ends in a final state. The error says why that is not known.
func (t *Test) endsNowhere(ctx context.Context, m *cat.Model) (bool, error) {
	r, err := t.question().anything().under(m).answer(ctx)
	if len(r.States) == 0 && err != nil {
		return false, err
	}
	return len(r.States) == 0, nil
}

package sim

import (
	"context"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/litmus"
)

// checkVacuous sets Result.Vacuous if the condition is a forall and there is no final state: every
// allowed execution hangs, the filter keeps none, or the model allows none. The search must have
// been complete.
func (t *Test) checkVacuous(ctx context.Context, m *cat.Model, r *Result) (err error) {
	if t.Cond.Quant == litmus.Forall && r.Positive == 0 && r.Negative == 0 && len(r.Undefined) == 0 {
		r.Vacuous, err = t.endsNowhere(ctx, m)
	}
	return err
}

// endsNowhere reports whether no allowed execution has a final state. It returns an error if that
// is unknown.
func (t *Test) endsNowhere(ctx context.Context, m *cat.Model) (bool, error) {
	r, err := t.question().anything().under(m).answer(ctx)
	if len(r.States) == 0 && err != nil {
		return false, err
	}
	return len(r.States) == 0, nil
}

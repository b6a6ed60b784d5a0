package sim

import (
	"context"
	"errors"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/learn"
)

// explainBig explains a test that is too big for the fast engine. Where it is small after all, or the learning engine knows too little,
// every candidate is judged; else that one is asked for all candidates.
func (t *Test) explainBig(ctx context.Context, m *cat.Model) (*explaining, error) {
	_, reason := t.compiled(m)
	anew := func(t *Test) *explaining {
		return newExplaining(&Explanation{Test: t, Refs: t.Observables(), Engine: Naive, Reason: reason}, m)
	}
	p, uncompiled := t.plan(m)
	if p == nil || len(p.Checks) > mostAxioms || t.config.Limits.MaxCandidates > 0 {
		x := anew(t)
		if p == nil {
			x.Reason = uncompiled
		}
		return x, x.naive(ctx)
	}
	if few := t.ofFew(); few.isOfFew(ctx, m) {
		x := anew(few)
		err := x.naive(ctx)
		x.Test = t
		if !IsLimit(err) || ctx.Err() != nil {
			return x, err
		}
	}
	x := anew(t)
	x.Engine, x.Reason = Learning, ""
	far, err := x.fast(ctx, p)
	if far == engine.Unsupported || errors.Is(err, learn.ErrWrong) {
		x = anew(t)
		return x, x.naive(ctx)
	}
	return x, err
}

// isOfFew reports that a test has no more candidates than its limits allow, as far as a model has not judged them.
func (t *Test) isOfFew(ctx context.Context, m *cat.Model) bool {
	limits := t.config.Limits
	limits.OpenCo = m.Chooses("co")
	for _, err := range enumerate.Executions(ctx, t.Program, limits, &enumerate.Stats{}) {
		if err != nil {
			return !IsLimit(err)
		}
	}
	return true
}

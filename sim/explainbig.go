package sim

import (
	"context"
	"errors"

	"github.com/muster-gpu/muster/cat"
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
	x := anew(t.ofFew())
	err := x.naive(ctx)
	x.Test = t
	if !IsLimit(err) || ctx.Err() != nil {
		return x, err
	}
	x = anew(t)
	x.Engine, x.Reason = Learning, ""
	if err = x.fast(ctx, p); errors.Is(err, learn.ErrBeyond) || errors.Is(err, learn.ErrWrong) {
		x = anew(t)
		return x, x.naive(ctx)
	}
	return x, err
}

// Package campaign runs many tests on a machine, one after the other. What cannot be run is skipped, what fails
// for one test keeps no other, and a test that breaks the GPU is recorded as one.
//
//	Tests      tests, laid out for a target
//	Recording  appends what was seen to a file, from where it stopped
//	Supervise  goes on in a fresh process after a test that broke the GPU
package campaign

import (
	"context"
	"errors"
	"iter"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/translate"
	"github.com/muster-gpu/muster/sim"
)

// Tests are the tests of a campaign.
type Tests struct {
	Found  iter.Seq[corpus.Test]
	Config sim.Config
	Target harness.Target
	// Report is told what is wrong with a test, a *harness.Unable if it cannot be run; the others go on.
	Report func(error)
}

// Each loads the tests and lays them out. The error ends the campaign: it is that of the context, a
// *NotRecordedError, or one that has broken the GPU (cuda.Breaks).
func (t Tests) Each(ctx context.Context, do func(*sim.Test, *harness.Plan) error) error {
	for in := range t.Found {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := t.one(ctx, in, do)
		var lost *NotRecordedError
		switch {
		case err == nil:
		case cuda.Breaks(err), errors.As(err, &lost):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		default:
			t.Report(err)
		}
	}
	return nil
}

// Load reads a test, and translates it if it is in CUDA C++.
func (t Tests) Load(ctx context.Context, in corpus.Test) (*sim.Test, error) {
	test, err := batch.Load(ctx, in, t.Config)
	if err != nil {
		return nil, err
	}
	return test.For(translate.PTX)
}

// one does with a test what is to be done.
func (t Tests) one(ctx context.Context, in corpus.Test, do func(*sim.Test, *harness.Plan) error) error {
	test, err := t.Load(ctx, in)
	if err != nil {
		return err
	}
	plan, err := harness.NewPlan(test.Test, test.Program, t.Target)
	if err != nil {
		return err
	}
	return do(test, plan)
}

// NotRecordedError ends a campaign: what cannot be recorded, as on a full disk, need not be seen.
type NotRecordedError struct{ Err error }

func (e *NotRecordedError) Error() string { return e.Err.Error() }

// Unwrap is the reason.
func (e *NotRecordedError) Unwrap() error { return e.Err }

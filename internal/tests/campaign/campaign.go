// Package campaign runs many tests on a machine, one after the other. Tests that cannot be run are
// skipped, an error in one test does not stop the others, and a test that breaks the GPU is
// recorded as such.
//
//	Tests      tests, laid out for a target
//	Recording  appends what was seen to a file; it continues where it stopped
//	Searching  searches for settings
//	Supervise  continues in a fresh process after a test that broke the GPU
//	Amending   adds verdicts to records later, from the machine code that was kept
package campaign

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
	"github.com/muster-gpu/muster/harness/rig"
	"github.com/muster-gpu/muster/internal/language/translate"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
)

// Tests are the tests of a campaign.
type Tests struct {
	Found  iter.Seq[corpus.Test]
	Total  int // their number, or corpus.UnknownTotal; 0 if it is not needed
	Config sim.Config
	Target harness.Target
	GPUs   int // the number of GPUs that can play a test together
	// Prepare, unless nil, is called for each test before it is run: ahead of time, for several
	// tests concurrently.
	Prepare func(context.Context, *sim.Test, *harness.Plan) error
	Ahead   int // bounds the tests that are prepared ahead
	// Next is the number, from 0, of the first test to run; those before it are done. Tests before
	// number Alone are not prepared, and while one of them runs no other is loaded or prepared, so
	// that a failure can be attributed to it.
	Next, Alone int
	// Report is called with the error of a test, a *harness.Unable if the test cannot be run. The
	// other tests go on.
	Report func(error)
}

// Each loads the tests, lays them out and calls do for each. The error that it returns ended the
// campaign: that of the context, a *rig.NotRecordedError, or a *StoppedError.
func (t Tests) Each(ctx context.Context, do func(*sim.Test, *harness.Plan) error) error {
	return t.each(ctx, func(p prepared) error { return do(p.test, p.plan) })
}

func (t Tests) each(ctx context.Context, do func(prepared) error) error {
	for p := range t.prepared(ctx) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := p.err
		if err == nil {
			err = do(p)
		}
		var lost *rig.NotRecordedError
		switch {
		case err == nil:
		case cuda.Breaks(err):
			return &StoppedError{err, t.leftOut(p.number)}
		case errors.As(err, &lost):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		default:
			t.Report(err)
		}
	}
	return context.Cause(ctx) // the last test may have been cut short
}

// StoppedError is an error that broke the GPU (cuda.Breaks): no further test can run in this
// process.
type StoppedError struct {
	Err     error
	LeftOut string // says which tests were not run; "" if their number is not needed
}

func (e *StoppedError) Error() string { return e.Err.Error() + e.LeftOut }

// Unwrap returns the error of the test.
func (e *StoppedError) Unwrap() error { return e.Err }

// leftOut says how many tests follow the one with the given number.
func (t Tests) leftOut(number int) string {
	switch left := t.Total - number - 1; {
	case t.Total == corpus.UnknownTotal:
		return "; the tests behind it were not run"
	case left == 1:
		return "; the last test was not run"
	case left > 1:
		return fmt.Sprintf("; the last %d tests were not run", left)
	}
	return ""
}

// Load reads a test and translates it to PTX if it is in C.
func (t Tests) Load(ctx context.Context, in corpus.Test) (*sim.Test, error) {
	test, err := batch.Load(ctx, in, t.Config)
	if err != nil {
		return nil, err
	}
	return test.For(translate.PTX)
}

// prepared is a test that is laid out and prepared, or the error that prevented it.
type prepared struct {
	number int
	test   *sim.Test
	plan   *harness.Plan
	err    error
}

func (t Tests) prepare(ctx context.Context, number int, in corpus.Test) (p prepared) {
	p.number = number
	if p.test, p.err = t.Load(ctx, in); p.err != nil {
		return p
	}
	if p.plan, p.err = harness.NewPlan(p.test.Test, p.test.Program, t.Target); p.err != nil {
		return p
	}
	if p.err = p.plan.FitsOn(t.GPUs); p.err == nil && t.Prepare != nil && number >= t.Alone {
		p.err = t.Prepare(ctx, p.test, p.plan)
	}
	return p
}

// prepared yields the tests in order. While one is worked on, later ones are prepared.
func (t Tests) prepared(ctx context.Context) iter.Seq[prepared] {
	return func(yield func(prepared) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		next, stop := iter.Pull2(t.wanted())
		defer stop()
		var queue []chan prepared
		first := t.Next // the number of the first test in the queue
		for ; ; first++ {
			for more := true; more && (len(queue) == 0 || first >= t.Alone && len(queue) <= t.Ahead); {
				var number int
				var in corpus.Test
				if number, in, more = next(); more {
					done := make(chan prepared, 1)
					queue = append(queue, done)
					running.Go(func() { done <- t.prepare(ctx, number, in) })
				}
			}
			if len(queue) == 0 || !yield(<-queue[0]) {
				return
			}
			queue = queue[1:]
		}
	}
}

// wanted yields the tests from number Next on, with their numbers.
func (t Tests) wanted() iter.Seq2[int, corpus.Test] {
	return func(yield func(int, corpus.Test) bool) {
		number := 0
		for in := range t.Found {
			if number >= t.Next && !yield(number, in) {
				return
			}
			number++
		}
	}
}

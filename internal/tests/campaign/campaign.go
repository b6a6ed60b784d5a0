// Package campaign runs many tests on a machine, one after the other. What cannot be run is skipped, what fails
// for one test keeps no other, and a test that breaks the GPU is recorded as one.
//
//	Tests      tests, laid out for a target
//	Recording  appends what was seen to a file, from where it stopped
//	Searching  searches for settings
//	Supervise  goes on in a fresh process after a test that broke the GPU; SuperviseSearch, after a trial
//	Amending   finds verdicts of records later, by the machine code that was kept
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
	Total  int // how many there are, or corpus.UnknownTotal; 0 if nobody asks
	Config sim.Config
	Target harness.Target
	GPUs   int // that can play a test together
	// Prepare is called for each test before it is run, for some tests ahead and several at a time, if it is not nil.
	Prepare func(context.Context, *sim.Test, *harness.Plan) error
	Ahead   int // how many
	// Next is the number of the first test that is wanted, from 0 on: those before it are done. Those before Alone are not prepared, and while one of them
	// runs, no other is loaded or prepared: what happens then is of this test.
	Next, Alone int
	// Report is told what is wrong with a test, a *harness.Unable if it cannot be run; the others go on.
	Report func(error)
}

// Each loads the tests and lays them out. The error ends the campaign: it is that of the context, a
// *rig.NotRecordedError, or a *StoppedError.
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

// StoppedError is one that has broken the GPU (cuda.Breaks), so that no more tests run in this process.
type StoppedError struct {
	Err     error
	LeftOut string // which tests were not run; "" if nobody asks
}

func (e *StoppedError) Error() string { return e.Err.Error() + e.LeftOut }

// Unwrap is the error of the test.
func (e *StoppedError) Unwrap() error { return e.Err }

// leftOut says how many tests come behind the one with a number.
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

// Load reads a test, and translates it if it is in C.
func (t Tests) Load(ctx context.Context, in corpus.Test) (*sim.Test, error) {
	test, err := batch.Load(ctx, in, t.Config)
	if err != nil {
		return nil, err
	}
	return test.For(translate.PTX)
}

// prepared is a test that can be run, or why it cannot.
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

// prepared are the tests in the order in which they are found. While one is worked on, those after it are prepared.
func (t Tests) prepared(ctx context.Context) iter.Seq[prepared] {
	return func(yield func(prepared) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		next, stop := iter.Pull2(t.wanted())
		defer stop()
		var queue []chan prepared
		first := t.Next // the number of the first in the queue
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

// wanted are the tests that are wanted, by their numbers.
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

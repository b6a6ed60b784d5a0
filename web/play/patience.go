package play

import (
	"cmp"
	"context"
	"time"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/sim"
)

// Timeouts of answers. The page restarts the engine if no answer has come some time after the
// timeout.
const (
	usualTimeout    = 2 * time.Second
	verdictsTimeout = 20 * time.Second // for many tests, none of which takes longer than usual
)

// extraTime bounds the optional parts of an answer.
const extraTime = 300 * time.Millisecond

// explainTime bounds the explanation of what a model forbids, if the enumeration shows no execution
// that it rejects.
const explainTime = time.Second

// timeout returns the time for the answer.
func (r *request) timeout() time.Duration {
	switch {
	case r.Timeout > 0:
		return time.Duration(r.Timeout) * time.Millisecond
	case r.Verb == "verdicts":
		return verdictsTimeout
	}
	return usualTimeout
}

// reading returns how the test of a request is read.
func (r *request) reading() reading {
	return reading{r.Test, r.timeout(), cmp.Or(r.Unroll, frontend.DefaultUnroll), ""}
}

// share returns the time for the next of several pieces of work: an equal part of the remaining
// time, so that one that takes long does not starve the others.
func (r *request) share(things int) time.Duration {
	const tick = 10 * time.Millisecond
	return max((time.Until(r.deadline) / time.Duration(things)).Round(tick), tick)
}

// within returns a context that bounds the time of some work.
func within(d time.Duration) context.Context {
	return sim.Config{Timeout: d}.Limited(context.Background())
}

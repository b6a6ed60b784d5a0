package play

import (
	"cmp"
	"context"
	"time"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/sim"
)

// Timeouts of answers. The page starts the engine again if no answer has come some time after the timeout.
const (
	usualTimeout    = 2 * time.Second
	verdictsTimeout = 20 * time.Second // of many tests, none of which takes longer than usual
)

// extraTime bounds what is optional in an answer.
const extraTime = 300 * time.Millisecond

// explainTime bounds the explanation of what a model forbids, where enumerating executions shows none that it rejects.
const explainTime = time.Second

// timeout is how long the answer may take.
func (r *request) timeout() time.Duration {
	switch {
	case r.Timeout > 0:
		return time.Duration(r.Timeout) * time.Millisecond
	case r.Verb == "verdicts":
		return verdictsTimeout
	}
	return usualTimeout
}

// reading is how the test of a request is read.
func (r *request) reading() reading {
	return reading{r.Test, r.timeout(), cmp.Or(r.Unroll, frontend.DefaultUnroll), ""}
}

// share is the time for the next of several things that are still to be done: an equal part of
// what is left for the answer, so that one that takes long does not starve the others.
func (r *request) share(things int) time.Duration {
	const tick = 10 * time.Millisecond
	return max((time.Until(r.deadline) / time.Duration(things)).Round(tick), tick)
}

// within is a context for work that may take so long.
func within(d time.Duration) context.Context {
	return sim.Config{Timeout: d}.Limited(context.Background())
}

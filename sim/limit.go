package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/ptx"
)

// IsLimit reports that err says that a limit cut an answer short: candidates, time,
// control paths, rounds of a loop, or the work of the model on one candidate.
func IsLimit(err error) bool {
	var limit *enumerate.LimitError
	var paths *ptx.PathLimitError
	var model *cat.LimitError
	return errors.As(err, &limit) || errors.As(err, &paths) || errors.As(err, &model) || IsBound(err)
}

// IsBound reports that err says that the unroll bound, and no other limit, cut an answer short:
// all executions within the bound are known.
func IsBound(err error) bool {
	var bound *BoundError
	return errors.As(err, &bound)
}

// BoundError says that the unroll bound cut executions off: what was not found may come after
// more rounds of a loop.
type BoundError struct{ Unroll int }

func (e *BoundError) Error() string {
	return fmt.Sprintf("a loop goes on after %d iterations", e.Unroll)
}

// cutShort is what cut an enumeration of the test's candidates short: a limit that was hit, or
// the unroll bound; nil if nothing did.
func (t *Test) cutShort(limit error, stats *enumerate.Stats) error {
	if limit == nil && stats.Truncated > 0 {
		return &BoundError{t.config.PTX.Unroll}
	}
	return limit
}

// Limited is a context with the timeout for one test. Its Err and context.Cause are a
// limit (IsLimit) when the time is up; its Done does not end by then: engines ask again and
// again whether they should stop.
func (c Config) Limited(ctx context.Context) context.Context {
	if c.Timeout == 0 {
		return ctx
	}
	start := time.Now()
	return &limited{ctx, c.Timeout, func() bool { return time.Since(start) >= c.Timeout }}
}

// limited looks at the time when it is asked. A timer of the runtime, as context.WithTimeout
// has, does not fire in a browser while an engine works: there is one thread.
type limited struct {
	context.Context
	limit time.Duration
	late  func() bool
}

func (l *limited) Err() error {
	if err := context.Cause(l.Context); err != nil {
		return err
	}
	if l.late() {
		return &enumerate.LimitError{Limit: l.limit.String()}
	}
	return nil
}

// Value hides those of the context within: by one of them, context.Cause would find it, and
// ask it instead of Err.
func (l *limited) Value(any) any { return nil }

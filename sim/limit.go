package sim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
)

// IsLimit reports that err says that a limit cut an answer short: candidates, time,
// control paths, rounds of a loop, or the work of the model on one candidate.
func IsLimit(err error) bool {
	var limit *enumerate.LimitError
	var paths *frontend.PathLimitError
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
type BoundError struct {
	Unroll int    // frontend.Options
	Writes string // what in each round writes, so that it leaves a trace; "" if that is not why
}

func (e *BoundError) Error() string {
	goesOn := fmt.Sprintf("a loop goes on after %d iterations or more", e.Unroll)
	if e.Writes != "" {
		return goesOn + ", each of which writes: " + e.Writes
	}
	return goesOn
}

// cutShort is what cut an enumeration of the test's candidates short: a limit that was hit, or
// the unroll bound; nil if nothing did.
func (t *Test) cutShort(ctx context.Context, limit error, stats *enumerate.Stats) error {
	if limit == nil && stats.Truncated > 0 {
		return &BoundError{t.config.Reading.Unroll, t.polls(ctx)}
	}
	return limit
}

// polls is what writes in the rounds of a loop that was cut off; "" if nothing does, or if it is not found in time. People who
// poll by a read-modify-write do not think of it as a write.
func (t *Test) polls(ctx context.Context) string {
	const most = 1000 // combinations that are looked at
	looked := 0
	for s, err := range t.Program.Structures(ctx) {
		if looked++; err != nil || looked > most {
			break
		}
		for thread, p := range s.Paths {
			if len(p.Trace) > 0 {
				return t.wording(thread, p.Events[p.Trace[0]])
			}
		}
	}
	if looked <= most {
		return ""
	}
	if f := t.Program.Family(ctx); f != nil {
		for thread, p := range f.Paths() {
			if len(p.Trace) > 0 {
				return t.wording(thread, p.Events[p.Trace[0]])
			}
		}
	}
	return ""
}

// wording is what an event of a path comes from, in the words of the test.
func (t *Test) wording(thread int, e event.Event) string {
	e.Thread = thread
	if at, ok := t.Source(&e); ok {
		return fmt.Sprintf("line %d, %s", at.Pos().Line, strings.Join(strings.Fields(at.Text()), " "))
	}
	return e.Mnemonic
}

// Limited is a context with the limits of time and memory for one test. Its Err and context.Cause
// are a limit (IsLimit) when one is exceeded; its Done does not end by then: engines ask again and
// again whether they should stop.
func (c Config) Limited(ctx context.Context) context.Context {
	if c.Timeout == 0 && c.MaxMemory == 0 {
		return ctx
	}
	return &limited{Context: ctx, began: time.Now(), timeout: c.Timeout, memory: memory{bound: c.MaxMemory}}
}

// Known is a context whose end is a limit (IsLimit): what is known by then is an answer.
func Known(ctx context.Context) context.Context { return untilDone{ctx} }

type untilDone struct{ context.Context }

func (u untilDone) Err() error {
	if err := context.Cause(u.Context); err != nil {
		return &enumerate.LimitError{Limit: "its context ended: " + err.Error()}
	}
	return nil
}

// Value hides the values of the parent context, as that of limited does.
func (untilDone) Value(any) any { return nil }

// limited compares the clock whenever Err is called. The timer of context.WithTimeout does not fire
// in a browser while an engine runs, because WebAssembly has one thread.
type limited struct {
	context.Context
	began   time.Time
	timeout time.Duration
	memory  memory
}

func (l *limited) Err() error {
	if err := context.Cause(l.Context); err != nil {
		return err
	}
	took := time.Since(l.began)
	switch {
	case l.timeout > 0 && took >= l.timeout:
		return &enumerate.LimitError{Limit: l.timeout.String()}
	case l.memory.exceeded(took):
		return &enumerate.LimitError{Limit: l.memory.String()}
	}
	return nil
}

// Value hides the values of the parent context: context.Cause would find its cancelCtx among them
// and ask that instead of Err.
func (l *limited) Value(any) any { return nil }

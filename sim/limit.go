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

// IsLimit reports whether err is a limit that cut an answer short: on candidates, time, control
// paths, loop iterations, or the work of the model on one candidate.
func IsLimit(err error) bool {
	var limit *enumerate.LimitError
	var paths *frontend.PathLimitError
	var model *cat.LimitError
	return errors.As(err, &limit) || errors.As(err, &paths) || errors.As(err, &model) || IsBound(err)
}

// IsBound reports whether err is the unroll bound. All executions within the bound are then known.
func IsBound(err error) bool {
	var bound *BoundError
	return errors.As(err, &bound)
}

// BoundError reports that the unroll bound cut executions off. Longer executions are unknown.
type BoundError struct {
	Unroll int // frontend.Options
	// the instruction that writes in each iteration, so that iterations leave a trace, or ""
	Writes string
}

func (e *BoundError) Error() string {
	goesOn := fmt.Sprintf("a loop goes on after %d iterations or more", e.Unroll)
	if e.Writes != "" {
		return goesOn + ", each of which writes: " + e.Writes
	}
	return goesOn
}

// cutShort returns the limit that cut an enumeration of the candidates short, the unroll bound, or
// nil.
func (t *Test) cutShort(ctx context.Context, limit error, stats *enumerate.Stats) error {
	if limit == nil && stats.Truncated > 0 {
		return &BoundError{t.config.Reading.Unroll, t.polls(ctx)}
	}
	return limit
}

// polls returns the instruction that writes in each iteration of a loop that was cut off. It
// returns "" if it finds no such instruction in time. Such an instruction is often a
// read-modify-write used for polling, which its author did not think of as a write.
func (t *Test) polls(ctx context.Context) string {
	const most = 1000 // combinations of control paths to examine
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

// wording returns the source of an event of a path, in the words of the test.
func (t *Test) wording(thread int, e event.Event) string {
	e.Thread = thread
	if at, ok := t.Source(&e); ok {
		return fmt.Sprintf("line %d, %s", at.Pos().Line, strings.Join(strings.Fields(at.Text()), " "))
	}
	return e.Mnemonic
}

// Limited returns a context with the limits of time and memory for one test. When one is exceeded,
// Err and context.Cause return a limit (IsLimit). Done does not close then: engines poll Err.
func (c Config) Limited(ctx context.Context) context.Context {
	if c.Timeout == 0 && c.MaxMemory == 0 {
		return ctx
	}
	return &limited{Context: ctx, began: time.Now(), timeout: c.Timeout, memory: memory{bound: c.MaxMemory}}
}

// Known returns a context whose end counts as a limit (IsLimit), so that what is known by then is
// an answer.
func Known(ctx context.Context) context.Context { return untilDone{ctx} }

type untilDone struct{ context.Context }

func (u untilDone) Err() error {
	if err := context.Cause(u.Context); err != nil {
		return &enumerate.LimitError{Limit: "its context ended: " + err.Error()}
	}
	return nil
}

// Value hides the values of the parent context, for the same reason as that of limited.
func (untilDone) Value(any) any { return nil }

// limited compares the clock whenever Err is called. In a browser the timer of context.WithTimeout
// does not fire while an engine runs, because WebAssembly has one thread.
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

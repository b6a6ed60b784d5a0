package rig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
)

// Search is the request of a search.
type Search struct {
	Plans []*harness.Plan
	Draws int           // the number of initial settings
	Time  time.Duration // bounds the time of the search, if not 0
	Notes io.Writer     // receives notes about what is tried

	// These are the fields of harness.Tuning.
	Began      time.Time
	Past       []harness.Trial
	Begin, End func(harness.Trial) error
}

// Tune searches for better settings for tests. If an error or an interrupt ends the search, it
// returns what was found with the error. Without an open machine it returns what the trials of the
// past have found.
func (r *Rig) Tune(ctx context.Context, s Search) ([]harness.Tuned, error) {
	if len(s.Plans) == 0 {
		return nil, fmt.Errorf("there is no test that can be run")
	}
	if s.Began.IsZero() {
		s.Began = time.Now()
	}
	within, cancel := ctx, context.CancelFunc(func() {})
	if s.Time > 0 {
		within, cancel = context.WithDeadline(ctx, s.Began.Add(s.Time))
	}
	defer cancel()
	search := harness.Tuning{
		Machine:   r.Machine,
		Plans:     s.Plans,
		First:     r.Settings.Settings,
		Draws:     s.Draws,
		Draw:      Machines[r.Name].Draw,
		Instances: r.Instances,
		Seed:      r.Seed,
		Progress:  func(round int, tried harness.Tuned) { fmt.Fprintf(s.Notes, "round %d: %s\n", round, tried) },
		Unfit:     func(_ harness.Settings, why error) { fmt.Fprintf(s.Notes, "drawn again: %v\n", why) },
		Past:      s.Past, Began: s.Began, Begin: s.Begin, End: s.End,
	}
	found, err := search.Run(within)
	if within.Err() == nil {
		return found, err
	}
	var late *cuda.TimeoutError
	if errors.As(err, &late) {
		r.Abandon() // to the kernel that it runs
	}
	if ctx.Err() == nil {
		fmt.Fprintf(s.Notes, "the search was ended after %v\n", s.Time)
	}
	return found, ctx.Err()
}

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

// Search is what Tune is asked for.
type Search struct {
	Plans []*harness.Plan
	Draws int           // with how many settings it begins
	Time  time.Duration // for how long it searches, if it is not 0
	Notes io.Writer     // is told what is tried

	// Began, Past, Begin and End are those of harness.Tuning.
	Began      time.Time
	Past       []harness.Trial
	Begin, End func(harness.Trial) error
}

// Tune searches better settings for tests. What is found when an error or an interrupt ends the search comes beside the error. Without an open machine it
// finds what the trials of the past have found.
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
		r.Abandon() // to what it was doing
	}
	if ctx.Err() == nil {
		fmt.Fprintf(s.Notes, "the search was ended after %v\n", s.Time)
	}
	return found, ctx.Err()
}

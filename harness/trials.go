package harness

import (
	"context"
	"errors"
	"time"
)

// Trial is one of a search for settings: what a test showed with some, or why it showed nothing. A process that goes on with a search reads those of
// the processes before it.
type Trial struct {
	Test     string    `json:"test"`
	Settings Settings  `json:"settings"`
	Round    uint64    `json:"round"` // of the search
	Score    Score     `json:"score"`
	Why      string    `json:"why,omitempty"`   // it has no score; "" if it has
	Broke    bool      `json:"broke,omitempty"` // it has broken the machine, so that its process could not go on
	Ended    time.Time `json:"ended"`
}

// MostBreaks is how often a test may break the machine before it is left out. Once may be the settings'.
const MostBreaks = 2

// trialKey tells the trials of a search apart.
type trialKey struct {
	test     string
	settings Settings
	round    uint64
}

func (t *Trial) key() trialKey { return trialKey{t.Test, t.Settings, t.Round} }

func pastOf(trials []Trial) map[trialKey]Trial {
	past := map[trialKey]Trial{}
	for _, t := range trials {
		past[t.key()] = t
	}
	return past
}

// errNoMachine ends a search that has no machine, behind the trials of the past.
var errNoMachine = errors.New("no machine is left to go on with")

// now is the time. While a search repeats what is past it is that of then, so that what was decided by the time is decided so again.
func (s *search) now() time.Time {
	if s.live() {
		return time.Now()
	}
	return s.clock
}

// live reports that the last trial was made by this search, not by one before it.
func (s *search) live() bool { return s.clock.IsZero() }

// try runs a test with some settings. The error is an *Unfit if the search can go on without them: they do not fit, or, whatever it was, a kernel
// that does nothing runs.
func (s *search) try(ctx context.Context, test int, with Settings, part Part) (Score, error) {
	t := Trial{Test: s.Plans[test].Test.Name.Text, Settings: with, Round: part.Number}
	if past, ok := s.past[t.key()]; ok {
		return s.repeat(test, past)
	}
	s.clock = time.Time{}
	if s.Machine == nil {
		return Score{}, errNoMachine
	}
	if ctx.Err() != nil {
		return Score{}, context.Cause(ctx)
	}
	if err := tellTrial(s.Begin, t); err != nil {
		return Score{}, err
	}
	h, err := s.Plans[test].RunPart(ctx, s.Machine, with, part)
	if ctx.Err() != nil {
		return Score{}, context.Cause(ctx)
	}
	var misfit *Unfit
	if err != nil && !errors.As(err, &misfit) {
		if !s.works(ctx) {
			return Score{}, err
		}
		err = &Unfit{err}
	}
	if err == nil {
		t.Score = Score{h.Asked(s.Plans[test].Test), h.Instances, h.Elapsed.Seconds()}
	} else {
		t.Why = err.Error()
	}
	t.Ended = time.Now()
	if lost := tellTrial(s.End, t); lost != nil {
		return Score{}, lost
	}
	return t.Score, err
}

// repeat is what a trial of the past gave.
func (s *search) repeat(test int, past Trial) (Score, error) {
	s.clock = past.Ended
	if past.Broke {
		s.broke[test]++
	}
	if past.Why != "" {
		return Score{}, &Unfit{errors.New(past.Why)}
	}
	return past.Score, nil
}

func tellTrial(whom func(Trial) error, t Trial) error {
	if whom == nil {
		return nil
	}
	return whom(t)
}

package harness

import (
	"context"
	"errors"
	"time"
)

// Trial is one trial of a search for settings: the score of a test with some settings, or why it
// has none. A process that continues a search reads the trials of earlier processes.
type Trial struct {
	Test     string   `json:"test"`
	Settings Settings `json:"settings"`
	Round    uint64   `json:"round"` // of the search
	Score    Score    `json:"score"`
	Why      string   `json:"why,omitempty"` // why it has no score; "" if it has one
	// it broke the machine, so that its process could not continue
	Broke bool      `json:"broke,omitempty"`
	Ended time.Time `json:"ended"`
}

// MostBreaks is the number of times that a test may break the machine before it is left out. A
// single time may be the fault of the settings.
const MostBreaks = 2

// trialKey identifies a trial of a search.
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

// errNoMachine ends a search without a machine, after the trials of the past.
var errNoMachine = errors.New("no machine is left to go on with")

// now returns the time. While a search repeats past trials it returns their time, so that decisions
// that depended on the time are repeated.
func (s *search) now() time.Time {
	if s.live() {
		return time.Now()
	}
	return s.clock
}

// live reports whether the last trial was made by this process.
func (s *search) live() bool { return s.clock.IsZero() }

// try runs a test with some settings. The error is an *Unfit if the search can continue without
// them: either they do not fit, or a kernel that does nothing still runs after the error.
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

// repeat returns the result of a past trial.
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

func tellTrial(report func(Trial) error, t Trial) error {
	if report == nil {
		return nil
	}
	return report(t)
}

package probe

import (
	"context"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Mapping is a mapping of a language to that of a machine, in some editions, and a model for each of the two. It
// is sound if translations do nothing that the model of the language forbids, but for programs whose behaviour
// that leaves undefined.
type Mapping struct {
	Source, Target *models.Model
	Editions       []string
}

// Mapped is what the models say of a test and of its translations.
type Mapped struct {
	Test    *sim.Test
	Source  *sim.Result
	Targets []*sim.Result // by edition; nil if the source is undefined
}

// Ask runs a test and its translations. The source has to be run for its states: a race is one wherever it is.
func (m *Mapping) Ask(ctx context.Context, t *sim.Test) (*Mapped, error) {
	r, err := t.Run(ctx, m.Source.Model)
	if err != nil {
		return nil, err
	}
	all := &Mapped{Test: t, Source: r}
	if all.Undefined() {
		return all, nil
	}
	for _, edition := range m.Editions {
		translation, err := t.Translated(m.Target.Target, edition)
		if err != nil {
			return nil, err
		}
		r, err := translation.Run(ctx, m.Target.Model)
		if err != nil {
			return nil, err
		}
		all.Targets = append(all.Targets, r)
	}
	return all, nil
}

// Undefined reports that the program has a race, or whatever else leaves its behaviour undefined.
func (m *Mapped) Undefined() bool { return len(m.Source.Undefined) > 0 }

// Unsound reports that a translation does what the source forbids.
func (m *Mapped) Unsound(edition int) bool {
	return !m.Undefined() && m.Source.Outcome() == sim.Forbidden && m.Targets[edition].Outcome() == sim.Allowed
}

// Open reports that a limit keeps the answer from being known.
func (m *Mapped) Open() bool {
	if m.Undefined() {
		return false
	}
	for i, r := range m.Targets {
		if r.Outcome() == sim.Unknown && m.Source.Outcome() != sim.Allowed ||
			m.Source.Outcome() == sim.Unknown && !m.Unsound(i) {
			return true
		}
	}
	return false
}

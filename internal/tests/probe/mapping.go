package probe

import (
	"context"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Mapping is a mapping of a language to a machine, in several editions, with a model for each of
// the two. It is sound if translations allow only what the model of the language allows, except for
// programs whose behaviour that model leaves undefined.
type Mapping struct {
	Source, Target *models.Model
	Editions       []string
}

// Mapped is the answers of the models about a test and its translations.
type Mapped struct {
	Test    *sim.Test
	Source  *sim.Result
	Targets []*sim.Result // by edition; nil if the source is undefined
}

// Ask runs a test and its translations. The source must be run for its states, because a race
// counts wherever it occurs.
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

// Undefined reports whether the source model leaves the behaviour undefined, for example because of
// a race.
func (m *Mapped) Undefined() bool { return len(m.Source.Undefined) > 0 }

// Unsound reports whether the translation of an edition allows what the source forbids.
func (m *Mapped) Unsound(edition int) bool {
	return !m.Undefined() && m.Source.Outcome() == sim.Forbidden && m.Targets[edition].Outcome() == sim.Allowed
}

// Open reports whether a limit leaves the answer unknown.
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

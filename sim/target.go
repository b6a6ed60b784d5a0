package sim

import (
	"github.com/muster-gpu/muster/internal/language/translate"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// For returns the test in the language that a model judges. A test in C is translated if the target
// of the model (models.Info) is a machine language; other tests are returned as they are. The error
// says what has no translation.
func (t *Test) For(target string) (*Test, error) {
	if !translate.Needed(t.Test, target) {
		return t, nil
	}
	return t.Translated(target, "")
}

// Translated returns the translation of the test to a target, by an edition of the mapping; "" is
// the default edition.
func (t *Test) Translated(target, edition string) (*Test, error) {
	made, err := translate.To(t.Test, target, edition)
	if err != nil {
		return nil, err
	}
	c := t.config
	c.State = "" // the condition already includes it
	translated, err := Load(src.NewFile(t.File.Name, made.Text), c)
	if err != nil {
		return nil, err
	}
	translated.sources, translated.oneOrder = made.Sources, made.OneOrder
	for _, r := range t.observables {
		translated.original = append(translated.original, litmus.FindRef(translated.observables, made.Renamed(r)))
	}
	return translated, nil
}

// Original returns a final state of a translation as a state of the original test, whose registers
// may have other names and another order. For other tests it returns the state itself.
func (t *Test) Original(s litmus.State) litmus.State {
	if t.original == nil {
		return s
	}
	as := make(litmus.State, len(t.original))
	for i, at := range t.original {
		as[i] = s[at]
	}
	return as
}

package sim

import (
	"github.com/muster-gpu/muster/internal/language/translate"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// For is the test as a model judges it: one in C is translated if the target of the model
// (models.Info) is the language of a machine, and any other stays as it is. The error says what has no
// translation.
func (t *Test) For(target string) (*Test, error) {
	if !translate.Needed(t.Test, target) {
		return t, nil
	}
	return t.Translated(target, "")
}

// Translated is the translation of the test to a target, by an edition of the mapping; "" for the usual one.
func (t *Test) Translated(target, edition string) (*Test, error) {
	made, err := translate.To(t.Test, target, edition)
	if err != nil {
		return nil, err
	}
	c := t.config
	c.State = "" // the condition is that already
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

// Original is a final state of the test as one of the test that it is a translation of, whose registers may have other names and stand in another
// order; of any other test, the state itself.
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

// Package translate registers translations of tests into other languages, by the names of targets
// in models and command lines. It is separate from the front ends because not every program that
// reads tests translates them.
package translate

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/clike/toptx"
	"github.com/muster-gpu/muster/litmus"
)

// PTX is the target of all translations so far.
const PTX = "ptx"

// Needed reports whether a model with the given target judges the translation of a test instead of
// the test itself.
func Needed(t *litmus.Test, target string) bool { return target == PTX && toptx.Takes(t) }

// Editions returns the editions of the mapping to PTX, the default first.
func Editions() (names []string) {
	for _, e := range toptx.Editions {
		names = append(names, e.Name)
	}
	return names
}

// Translation is a test in the language of a target.
type Translation = toptx.Translation

// To translates a test to a target, by an edition of the mapping; "" is the default.
func To(t *litmus.Test, target, edition string) (*Translation, error) {
	e, err := find(target, edition)
	if err != nil {
		return nil, err
	}
	return toptx.Translate(t, e)
}

// Check returns an error if a target or an edition is unknown.
func Check(target, edition string) error {
	_, err := find(target, edition)
	return err
}

func find(target, edition string) (*toptx.Edition, error) {
	if target != PTX {
		return nil, fmt.Errorf("tests are translated to %s, not to %q", PTX, target)
	}
	for _, e := range toptx.Editions {
		if e.Name == edition || edition == "" {
			return e, nil
		}
	}
	return nil, fmt.Errorf("the mapping to %s has the editions %s, not %q", target, strings.Join(Editions(), ", "),
		edition)
}

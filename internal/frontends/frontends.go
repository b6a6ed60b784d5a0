// Package frontends is the register of the front ends: the one place that knows which languages tests
// are written in. A new one is a folder of its own and a line in All.
package frontends

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// All lists the front ends.
func All() []*frontend.Frontend {
	return []*frontend.Frontend{ptx.Frontend()}
}

// Formats lists the formats of all front ends.
func Formats() []*litmus.Format {
	var all []*litmus.Format
	for _, f := range All() {
		all = append(all, f.Formats...)
	}
	return all
}

// Headers lists the first words of tests.
func Headers() (all []string) {
	for _, f := range Formats() {
		all = append(all, f.Arch)
	}
	return all
}

// Parse reads the text of a test of any front end, but not its program.
func Parse(f *src.File) (*litmus.Test, error) { return litmus.Parse(f, Formats()) }

// Read reads the program of a test.
func Read(t *litmus.Test, o frontend.Options) (frontend.Program, error) {
	return of(t.Format).Read(t, o)
}

// of is the front end of a format.
func of(format *litmus.Format) *frontend.Frontend {
	all := All()
	return all[slices.IndexFunc(all, func(f *frontend.Frontend) bool { return slices.Contains(f.Formats, format) })]
}

// Sets and Rels list the names that models may mention: those of package event, and what front ends
// add.
func Sets() []string {
	all := event.SetNames()
	for _, f := range All() {
		all = append(all, f.Sets...)
	}
	return all
}

// Rels: see Sets.
func Rels() []string { return append(event.RelNames(), AddedRels()...) }

// AddedRels lists the relations that front ends add.
func AddedRels() (all []string) {
	for _, f := range All() {
		all = append(all, f.Rels...)
	}
	return all
}

// Package frontends is the register of the front ends: the one place that knows which languages tests
// are written in. A new one is a folder of its own and a line in All.
package frontends

import (
	"sync"

	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// All lists the front ends.
func All() []*frontend.Frontend {
	return []*frontend.Frontend{ptx.Frontend(), clike.Frontend()}
}

// register is what follows from All, made once.
type register struct {
	formats    []*litmus.Format
	readers    map[*litmus.Format]reader
	vocabulary *vocab.Vocabulary
}

// reader is a front end, and what executions of its tests have for models.
type reader struct {
	*frontend.Frontend
	vocabulary *event.Vocabulary
}

var registered = sync.OnceValue(func() *register {
	r := &register{readers: map[*litmus.Format]reader{}}
	var added []vocab.Name
	for _, f := range All() {
		r.formats = append(r.formats, f.Formats...)
		for _, n := range f.Names {
			added = append(added, n.Name)
		}
	}
	for _, f := range All() {
		v := event.NewVocabulary(f.Names, added, f.Label)
		for _, format := range f.Formats {
			r.readers[format] = reader{f, v}
		}
		r.vocabulary = v.Vocabulary // the names are the same for all
	}
	return r
})

// Formats lists the formats of all front ends. The caller must not change them.
func Formats() []*litmus.Format { return registered().formats }

// Vocabulary is the names that models may mention: those of package event, and what front ends
// add. Of what another front end adds, executions have nothing.
func Vocabulary() *vocab.Vocabulary { return registered().vocabulary }

// Headers lists the first words of tests, those too that stand in the place of others.
func Headers() (all []string) {
	for _, f := range Formats() {
		all = append(append(all, f.Arch), f.Others...)
	}
	return all
}

// Parse reads the text of a test of any front end, but not its program.
func Parse(f *src.File) (*litmus.Test, error) { return litmus.Parse(f, Formats()) }

// Read reads the program of a test that Parse has read.
func Read(t *litmus.Test, o frontend.Options) (frontend.Program, error) {
	r := registered().readers[t.Format]
	o.Vocabulary = r.vocabulary
	return r.Read(t, o)
}

package frontend

import (
	"fmt"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// Registry is a set of languages, with the names that models may mention when they judge tests in
// these languages. It does not change, so several goroutines may use it.
type Registry struct {
	languages  []*Frontend
	formats    []*litmus.Format
	readers    map[*litmus.Format]reader
	vocabulary *vocab.Vocabulary
}

// reader is a language, and what executions of its tests have for models.
type reader struct {
	*Frontend
	vocabulary *event.Vocabulary
}

// NewRegistry returns a registry of some languages. It is an error if two languages share a header,
// or if a name is a set in one and a relation in another, or is badly defined.
func NewRegistry(languages ...*Frontend) (*Registry, error) {
	r := &Registry{languages: languages, readers: map[*litmus.Format]reader{}, vocabulary: event.NewVocabulary(nil, nil, nil).Vocabulary}
	headers, isSet := map[string]bool{}, map[string]bool{}
	for _, n := range event.NewVocabulary(nil, nil, nil).Names() {
		isSet[n.Name] = n.Set
	}
	var added []vocab.Name
	for _, f := range languages {
		for _, format := range f.Formats {
			if headers[format.Arch] {
				return nil, fmt.Errorf("two languages have tests with the header %s", format.Arch)
			}
			headers[format.Arch] = true
			r.formats = append(r.formats, format)
		}
		for _, n := range f.Names {
			if set, known := isSet[n.Name.Name]; known && set != n.Set {
				return nil, fmt.Errorf("%s is a set for one language and a relation for another", n.Name.Name)
			}
			if err := n.Validate(); err != nil {
				return nil, err
			}
			isSet[n.Name.Name] = n.Set
			added = append(added, n.Name)
		}
	}
	for _, f := range languages {
		v := event.NewVocabulary(f.Names, added, f.Label)
		r.vocabulary = v.Vocabulary // the names are the same for all languages
		for _, format := range f.Formats {
			r.readers[format] = reader{f, v}
		}
	}
	return r, nil
}

// Languages lists the languages. The caller must not change them.
func (r *Registry) Languages() []*Frontend { return r.languages }

// Formats lists the formats of all languages. The caller must not change them.
func (r *Registry) Formats() []*litmus.Format { return r.formats }

// Vocabulary returns the names that models may mention: those of package event, and what the
// languages add. A name that only another language adds is empty in the executions of a test.
func (r *Registry) Vocabulary() *vocab.Vocabulary { return r.vocabulary }

// Headers lists the first words of tests, those too that stand in the place of others.
func (r *Registry) Headers() (all []string) {
	for _, f := range r.formats {
		all = append(append(all, f.Arch), f.Others...)
	}
	return all
}

// Parse reads the text of a test in any of the languages, but not its program.
func (r *Registry) Parse(f *src.File) (*litmus.Test, error) { return litmus.Parse(f, r.formats) }

// Read reads the program of a test that Parse has read.
func (r *Registry) Read(t *litmus.Test, o Options) (Program, error) {
	reader, known := r.readers[t.Format]
	if !known {
		return nil, src.Errorf(t.Name.Span, "no language of this registry has tests with the header %s", t.Format.Arch)
	}
	o.Vocabulary = reader.vocabulary
	return reader.Read(t, o)
}

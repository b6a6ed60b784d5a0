package frontends_test

import (
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/language/frontends"
)

// TestHeaders: a header says which front end reads a test, and which model judges it.
func TestHeaders(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range frontends.Formats() {
		if seen[f.Arch] || f.Arch == "" || f.Model == "" || f.Layout == nil {
			t.Errorf("the format %+v is a second one of its header, or lacks something", *f)
		}
		seen[f.Arch] = true
	}
}

// TestNames: what front ends add agrees with its definition, and a name that several know, or package
// event too, is a set for all or a relation for all.
func TestNames(t *testing.T) {
	sorts := map[string]bool{}
	for _, n := range event.NewVocabulary(nil, nil, nil).Names() {
		sorts[n.Name] = n.Set
	}
	for _, f := range frontends.All() {
		own := map[string]bool{}
		for _, n := range f.Names {
			name := n.Name.Name
			if err := n.Validate(); err != nil {
				t.Error(err)
			}
			if own[name] {
				t.Errorf("%s is there twice", name)
			}
			if set, known := sorts[name]; known && set != n.Set {
				t.Errorf("%s is a set for some and a relation for others", name)
			}
			own[name], sorts[name] = true, n.Set
		}
	}
	for _, n := range frontends.Vocabulary().Names() {
		if n.Wider != "" && frontends.Vocabulary().Find(n.Wider) == nil {
			t.Errorf("%s has a wider scope %s, which there is not", n.Name, n.Wider)
		}
	}
}

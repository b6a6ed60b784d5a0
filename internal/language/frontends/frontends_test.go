package frontends_test

import (
	"testing"

	"github.com/muster-gpu/muster/internal/language/frontends"
)

// TestFormats: each header has a layout and a default model.
func TestFormats(t *testing.T) {
	for _, f := range frontends.Shipped().Formats() {
		if f.Arch == "" || f.Model == "" || f.Layout == nil {
			t.Errorf("the format %+v lacks something", *f)
		}
	}
}

// TestNames: the names of a language are unique, and wider scopes are names, too.
func TestNames(t *testing.T) {
	for _, f := range frontends.Shipped().Languages() {
		own := map[string]bool{}
		for _, n := range f.Names {
			if own[n.Name.Name] {
				t.Errorf("%s is there twice", n.Name.Name)
			}
			own[n.Name.Name] = true
		}
	}
	for _, n := range frontends.Shipped().Vocabulary().Names() {
		if n.Wider != "" && frontends.Shipped().Vocabulary().Find(n.Wider) == nil {
			t.Errorf("%s has a wider scope %s, which there is not", n.Name, n.Wider)
		}
	}
}

package models_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestFormatted: shipped files, printed in canonical form, keep their comments, print as
// themselves, and mean the same.
func TestFormatted(t *testing.T) {
	files, err := filepath.Glob("*.cat")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %d files", err, len(files))
	}
	texts := map[string]string{}
	for _, name := range files {
		f, err := models.Shipped(name)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := syntax.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = tree.String()
		again, err := syntax.Parse(src.NewFile(name, texts[name]))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(texts[name], again.String()); diff != "" {
			t.Errorf("%s does not print as itself:\n%s", name, diff)
		}
		if diff := cmp.Diff(comments(tree), comments(again)); diff != "" {
			t.Errorf("%s: the comments change:\n%s", name, diff)
		}
	}
	for _, info := range models.List() {
		plain := load(t, info.Name)
		formatted, err := models.Load(info.Name, models.Config{Files: texts})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := formatted.Check(sim.Vocabulary()); err != nil {
			t.Fatal(err)
		}
		want, err := plain.Compile(sim.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := formatted.Compile(sim.Vocabulary()); err != nil || !got.Equal(want) {
			t.Errorf("%s means something else: %v", info.Name, err)
		}
		if formatted.Info != plain.Info {
			t.Errorf("%s describes itself as %+v, want %+v", info.Name, formatted.Info, plain.Info)
		}
	}
}

func comments(f *syntax.File) []string {
	var all []string
	for _, c := range f.Comments {
		all = append(all, strings.Join(strings.Fields(c.Text), " "))
	}
	return all
}

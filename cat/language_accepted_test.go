package cat

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// TestAccepted checks models in the shapes of the literature: there are no false errors. The first
// comments of a file declare the names that it needs besides the common ones. Evaluation must then
// find no error that the checker missed.
func TestAccepted(t *testing.T) {
	paths, err := filepath.Glob("testdata/language/accepted/*.cat")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no models (%v)", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			v := vocabularyOf(string(content))
			m, err := Load(src.NewFile(path, string(content)), Config{Find: besideModels})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Check(v); err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				c := randomSmall(t, v.Sets(), v.Rels())
				choices := 0
				err := m.Eval(context.Background(), c, func(*Verdict) bool {
					choices++
					return choices < 10
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// vocabularyOf adds the names in the lines "// sets: …" and "// relations: …".
func vocabularyOf(content string) *vocab.Vocabulary {
	sets, rels := slices.Clone(herdSets), append(slices.Clone(herdRels), "same-value")
	for line := range strings.Lines(content) {
		if names, ok := strings.CutPrefix(line, "// sets:"); ok {
			sets = append(sets, strings.Fields(names)...)
		}
		if names, ok := strings.CutPrefix(line, "// relations:"); ok {
			rels = append(rels, strings.Fields(names)...)
		}
	}
	return NamesOf(sets, rels)
}

// besideModels finds the files in the folder models.
func besideModels(_ *src.File, path string) (*src.File, error) {
	content, err := os.ReadFile(filepath.Join("../models", path))
	if err != nil {
		return nil, err
	}
	return src.NewFile(path, string(content)), nil
}

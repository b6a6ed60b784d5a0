package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// TestUnknownVariant: a variant that no model mentions is an error, also if models mention the
// others.
func TestUnknownVariant(t *testing.T) {
	for _, tt := range []struct{ refs, variants, want string }{
		{"ptx-7.5", "dartagnan", ""},
		{"ptx-7.5:dartagnan", "", ""},
		{"ptx-7.5 sc", "dartagnan", ""},
		{"ptx-7.5", "dartagnam", `unknown variant "dartagnam": did you mean dartagnan? ptx-7.5 has dartagnan`},
		{"sc", "dartagnan", `unknown variant "dartagnan": sc has none`},
		{"sc ptx-7.5", "other", `unknown variant "other": sc has none; ptx-7.5 has dartagnan`},
		{"ptx-7.5 sc:dartagnan", "", `unknown variant "dartagnan": sc has none`},
	} {
		_, err := models.LoadAll(strings.Fields(tt.refs), models.Config{Variants: strings.Fields(tt.variants)})
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("%s with %q: %v, want %q", tt.refs, tt.variants, err, tt.want)
		}
	}
}

// TestFolders: models and their includes are found beside each other first, then in folders.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"a/main.cat": `include "part.cat"`, "a/part.cat": "acyclic po as beside",
		"b/part.cat": "acyclic po as folder", "c/part.cat": "acyclic po as later", "lone.cat": `include "part.cat"`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, folders, want string }{
		{"a/main.cat", "b", "beside"},
		{"lone.cat", "b c", "folder"},
		{"lone.cat", "nowhere c b", "later"},
		{"main.cat", "b a", "beside"},
		{filepath.Join(dir, "lone.cat"), filepath.Join(dir, "c"), "later"},
	} {
		m, err := models.Load(tt.name, models.Config{Include: strings.Fields(tt.folders)})
		if err != nil {
			t.Errorf("%s with -I %s: %v", tt.name, tt.folders, err)
			continue
		}
		summary, err := m.Check(sim.Vocabulary())
		if err != nil || len(summary.Checks) != 1 || summary.Checks[0].Name != tt.want {
			t.Errorf("%s with -I %s: %v %v, want the check %s", tt.name, tt.folders, summary.Checks, err, tt.want)
		}
	}
}

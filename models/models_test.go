package models_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/language/frontends"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

func TestList(t *testing.T) {
	var names []string
	for _, info := range models.List() {
		names = append(names, info.Name)
		if info.Title == "" || info.Source == "" || info.Covers == "" {
			t.Errorf("%s has no title, source or coverage: %+v", info.Name, info)
		}
		if strings.Contains(info.Title+info.Source+info.Covers+info.Chips, "  ") {
			t.Errorf("%s has ragged text: %+v", info.Name, info)
		}
	}
	want := []string{
		"c11-partial-sc", "coherence", "opencl", "ptx", "ptx-6.0", "ptx-7.5", "ptx-asplos15", "ptx-asplos15-rmw",
		"rc11", "rc11-scoped", "rmo", "sc", "tso",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestShipped loads every file and evaluates it on executions of a test. Files that List does not
// name are meant to be included.
func TestShipped(t *testing.T) {
	test := loadTest(t, "asplos15/cas-sl+fences.litmus")
	paths, err := filepath.Glob("*.cat")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no models (%v)", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(path, ".cat")
		t.Run(name, func(t *testing.T) {
			m := load(t, name)
			if summary, err := m.Check(sim.Vocabulary()); err != nil || len(summary.Warnings) > 0 {
				t.Errorf("error %v, warnings %v", err, summary.Warnings)
			}
			if m.File.Name != "models/"+path {
				t.Errorf("messages call it %s", m.File.Name)
			}
			if listed := slices.Contains(models.List(), m.Info); listed != (m.Info.Title != "") {
				t.Errorf("listed is %v: %+v", listed, m.Info)
			}
			if r, err := test.Run(context.Background(), m.Model); err != nil || len(r.States) == 0 {
				t.Errorf("no execution of %s: %v", test.Name.Text, err)
			}
		})
	}
}

// load loads a model that has no errors.
func load(t *testing.T, name string) *models.Model {
	t.Helper()
	m, err := models.Load(name, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func loadTest(t *testing.T, path string) *sim.Test {
	t.Helper()
	test, err := sim.Load(testFile(t, path), sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// testFile returns a shipped test.
func testFile(t *testing.T, path string) *src.File {
	t.Helper()
	text, err := litmustests.FS.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src.NewFile(path, string(text))
}

// TestDefaults: the default model of each format is a shipped one.
func TestDefaults(t *testing.T) {
	for _, f := range frontends.Shipped().Formats() {
		if !slices.ContainsFunc(models.List(), func(i models.Info) bool { return i.Name == f.Model }) {
			t.Errorf("no model %s is shipped, the default of %s", f.Model, f.Arch)
		}
	}
}

func TestUnknown(t *testing.T) {
	tests := map[string]string{
		"ptx-asplos16": `unknown model "ptx-asplos16": did you mean ptx-asplos15?`,
		"TSO":          `unknown model "TSO": did you mean tso?`,
		"x86": `unknown model "x86": muster has c11-partial-sc, coherence, opencl, ptx, ptx-6.0, ` +
			`ptx-7.5, ptx-asplos15, ptx-asplos15-rmw, rc11, rc11-scoped, rmo, sc, tso; ` +
			`or give the path of a .cat file`,
		"": `unknown model "": muster has c11-partial-sc, coherence, opencl, ptx, ptx-6.0, ` +
			`ptx-7.5, ptx-asplos15, ptx-asplos15-rmw, rc11, rc11-scoped, rmo, sc, tso; ` +
			`or give the path of a .cat file`,
	}
	for name, want := range tests {
		if _, err := models.Load(name, models.Config{}); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", name, err, want)
		}
	}
}

// inFolder makes a folder with the given files the working folder.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// TestFiles loads models from a folder. Each raises a flag with its own name.
func TestFiles(t *testing.T) {
	const (
		me    = "flag ~empty po as me "
		other = "flag ~empty po as other "
	)
	tests := []struct {
		name  string
		load  string
		files map[string]string
		want  string
	}{
		{"a path", "my/model.cat", map[string]string{"my/model.cat": me}, "me"},
		{"a name with .cat", "sc.cat", map[string]string{"sc.cat": me}, "me"},
		{"a path without .cat", "my/model", map[string]string{"my/model": me}, "me"},
		{"a shipped name, whatever the folder has", "sc", map[string]string{"sc.cat": me, "models/sc.cat": me}, ""},
		{
			"a file beside the one that includes it", "my/model.cat",
			map[string]string{"my/model.cat": me + `include "part.cat"`, "my/part.cat": other, "part.cat": "("},
			"me other",
		},
		{
			"a folder below", "model.cat",
			map[string]string{"model.cat": me + `include "a/b.cat"`, "a/b.cat": `include "c.cat"`, "a/c.cat": other},
			"me other",
		},
		{
			"a folder above", "my/model.cat",
			map[string]string{"my/model.cat": me + `include "../part.cat"`, "part.cat": other},
			"me other",
		},
		{"a shipped one", "model.cat", map[string]string{"model.cat": me + `include "sc.cat"`}, "me"},
		{
			"the file before the shipped one", "model.cat",
			map[string]string{"model.cat": me + `include "sc.cat"`, "sc.cat": other},
			"me other",
		},
		{
			"the file before the shipped one, in a folder of the same name", "models/ptx-asplos15.cat",
			map[string]string{
				"models/ptx-asplos15.cat":    me + `include "asplos15-axioms.cat"`,
				"models/asplos15-axioms.cat": other,
			},
			"me other",
		},
		{
			"shipped ones include shipped ones", "ptx-asplos15",
			map[string]string{"asplos15-axioms.cat": other, "models/asplos15-axioms.cat": other},
			"",
		},
		{
			"also when they are included", "model.cat",
			map[string]string{
				"model.cat": me + `include "ptx-asplos15.cat"`, "asplos15-axioms.cat": other,
				"models/asplos15-axioms.cat": other,
			},
			"me",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			test := loadTest(t, "asplos15/coRR-intra-cta.litmus")
			inFolder(t, tt.files)
			r, err := test.Run(context.Background(), load(t, tt.load).Model)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(r.Flags, " "); got != tt.want {
				t.Errorf("got the flags %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFileErrors(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no such file", nil, "cannot read the model: open my/model.cat: no such file or directory"},
		{
			"syntax",
			map[string]string{"my/model.cat": "acyclic"},
			`my/model.cat:1:8: expected an expression, found the end of the file
    acyclic
           ^`,
		},
		{
			"syntax in an included file",
			map[string]string{"my/model.cat": `include "part.cat"`, "my/part.cat": "\nacyclic )"},
			`my/part.cat:2:9: expected an expression, found )
    acyclic )
            ^`,
		},
		{
			"nothing to include",
			map[string]string{"my/model.cat": `include "ptx-asplos16.cat"`},
			`my/model.cat:1:9: cannot include "ptx-asplos16.cat": no such file beside my/model.cat, nor among the models of muster
    include "ptx-asplos16.cat"
            ^^^^^^^^^^^^^^^^^^`,
		},
		{
			"a file that includes itself",
			map[string]string{"my/model.cat": `include "../my/model.cat"`},
			`my/model.cat:1:1: my/model.cat includes itself
    include "../my/model.cat"
    ^^^^^^^^^^^^^^^^^^^^^^^^^
    the includes are my/model.cat → my/model.cat`,
		},
		{
			"files that include each other",
			map[string]string{"my/model.cat": `include "part.cat"`, "my/part.cat": `include "model.cat"`},
			`my/part.cat:1:1: my/model.cat includes itself
    include "model.cat"
    ^^^^^^^^^^^^^^^^^^^
    the includes are my/model.cat → my/part.cat → my/model.cat`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inFolder(t, tt.files)
			m, err := models.Load("my/model.cat", models.Config{})
			if err == nil || m != nil {
				t.Fatalf("got the model %v, error %v", m, err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoSuchFile(t *testing.T) {
	if _, err := models.Load("no/such/model.cat", models.Config{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestUnknownNameInFile checks a model of a user against the vocabulary of executions.
func TestUnknownNameInFile(t *testing.T) {
	inFolder(t, map[string]string{"model.cat": "acyclic po-lock | rf | membar.gll as c"})
	_, err := load(t, "model.cat").Check(sim.Vocabulary())
	want := `model.cat:1:9: unknown name po-lock
    acyclic po-lock | rf | membar.gll as c
            ^^^^^^^
    did you mean po-loc?
model.cat:1:24: unknown name membar.gll
    acyclic po-lock | rf | membar.gll as c
                           ^^^^^^^^^^
    did you mean membar.gl?`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

func TestInfo(t *testing.T) {
	all := models.Info{Name: "my-model", Title: "My model", Source: "a paper, 2026", Covers: "all", Chips: "AMD"}
	tests := []struct {
		name, header string
		want         models.Info
	}{
		{"all fields", "(* Title: My model\n   Source: a paper, 2026\n   Covers: all\n   Chips: AMD *)\n\"PTX\"", all},
		{
			"in any order, after blank lines",
			"\n\n (*\n  Chips: AMD\n  Covers: all\n\n  Source: a paper, 2026\n  Title: My model\n*)", all,
		},
		{
			"indented lines go on",
			"(* Title:  My\n           model\n   Source: a paper,\n       2026\n   Covers:\n     all\n" +
				"   Chips:  AMD\n*)", all,
		},
		{
			"other comments follow", "(* Title: My model *)\n(* Source: of a detail *)",
			models.Info{Name: "my-model", Title: "My model"},
		},
		{
			"line ends of Windows", "(* Title: My\r\n     model\r\n   Chips: AMD *)\r\n",
			models.Info{Name: "my-model", Title: "My model", Chips: "AMD"},
		},
		{
			"other keys",
			"(* Author: me\n   Title: My model\n   Year: 2026\n   Chips: AMD\n   Year: 2026\n     or 2027 *)",
			models.Info{Name: "my-model", Title: "My model", Chips: "AMD"},
		},
		{
			"other keys under the first", "(* Title: My model\n   Author: me *)",
			models.Info{Name: "my-model", Title: "My model"},
		},
		{
			"text around", "(* A model.\n   Title: My model\n   It is good.\n\n   Chips: AMD\n\n   The end. *)",
			models.Info{Name: "my-model", Title: "My model", Chips: "AMD"},
		},
		{
			"colons in the text", "(* Title: My model: the second\n     Note: it has colons *)",
			models.Info{Name: "my-model", Title: "My model: the second Note: it has colons"},
		},
		{"no comment", "acyclic po", models.Info{Name: "my-model"}},
		{"no text", "", models.Info{Name: "my-model"}},
		{"a comment further down", "acyclic po (* Title: no *)", models.Info{Name: "my-model"}},
		{
			"what it includes", "(* Title: My model *)\ninclude \"ptx.cat\"",
			models.Info{Name: "my-model", Title: "My model", Chips: "Nvidia", Target: "ptx"},
		},
		{
			"its own words first", "(* Chips: AMD *)\ninclude \"rc11.cat\"",
			models.Info{Name: "my-model", Chips: "AMD", Tests: "C"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inFolder(t, map[string]string{"dir/my-model.cat": tt.header})
			if diff := cmp.Diff(tt.want, load(t, "dir/my-model.cat").Info); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tt.header, diff)
			}
		})
	}
}

// TestTexts loads models from texts in memory: one that replaces a shipped file, also where it is
// included, and one that is not shipped.
func TestTexts(t *testing.T) {
	files := map[string]string{
		"cos.cat":   "let co = co0",
		"mine.cat":  "(* Title: Mine *)\ninclude \"cos.cat\"\ninclude \"other.cat\"\nacyclic co | other as mine",
		"other.cat": "let other = po",
	}
	m, err := models.Load("mine", models.Config{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Check(sim.Vocabulary())
	if err != nil || m.Title != "Mine" || len(s.Checks) != 1 || s.Definitions[0].File != "models/cos.cat" {
		t.Errorf("%+v, %+v, %v", m.Info, s, err)
	}
	if _, err := models.Load("none", models.Config{Files: files}); err == nil {
		t.Error("there is no model of the name none")
	}
}

package simtest

import (
	"encoding/csv"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Corpus returns the shipped tests.
func Corpus(t testing.TB) []*src.File {
	t.Helper()
	var files []*src.File
	err := fs.WalkDir(litmustests.FS, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".litmus" {
			return err
		}
		text, err := fs.ReadFile(litmustests.FS, name)
		files = append(files, src.NewFile(name, string(text)))
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tests, %v", len(files), err)
	}
	return files
}

// ExpectedVerdicts returns the verdicts of expected.csv by test and model.
func ExpectedVerdicts(t *testing.T) map[string]map[string]string {
	t.Helper()
	tables, err := fs.Glob(litmustests.FS, "*/expected.csv")
	if err != nil || len(tables) == 0 {
		t.Fatalf("no table, %v", err)
	}
	expected := map[string]map[string]string{}
	for _, table := range tables {
		f, err := litmustests.FS.Open(table)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			if expected[row[0]] == nil {
				expected[row[0]] = map[string]string{}
			}
			expected[row[0]][row[1]] = row[2]
		}
	}
	return expected
}

// Seldom reports whether a smaller sample of tests suffices for a model outside nightly runs: for
// variants of shipped models, and for asynchronous operations under models that do not cover them.
func Seldom(model string, f *src.File) bool {
	return strings.Contains(model, " ") || strings.HasPrefix(f.Name, "async/") && model != "ptx"
}

// TestsFor returns the shipped tests in the languages of a model.
func TestsFor(t testing.TB, model string) []*src.File {
	t.Helper()
	name, _, _ := strings.Cut(model, " ")
	all := models.List()
	info := all[slices.IndexFunc(all, func(i models.Info) bool { return i.Name == name })]
	return slices.DeleteFunc(Corpus(t), func(f *src.File) bool {
		header, _, _ := strings.Cut(f.Text, " ")
		return !info.For(header)
	})
}

// AnyTest is the header for which EveryModel returns all models.
const AnyTest = ""

// EveryModel returns the shipped models for tests with a header, by name, and their variants.
func EveryModel(t testing.TB, header string) map[string]*cat.Model {
	all := map[string]*cat.Model{}
	for _, info := range models.List() {
		if header != AnyTest && !info.For(header) {
			continue
		}
		all[info.Name] = LoadModel(t, info.Name)
		all[info.Name+" --co=partial"] = LoadReading(t, info.Name, models.Config{PartialCo: true})
		if strings.HasPrefix(info.Name, "ptx-") {
			all[info.Name+" dartagnan"] = LoadReading(t, info.Name, models.Config{Variants: []string{"dartagnan"}})
		}
	}
	return all
}

// LoadReading loads a shipped model with a configuration, and checks it.
func LoadReading(t testing.TB, name string, c models.Config) *cat.Model {
	t.Helper()
	m, err := models.Load(name, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		t.Fatal(err)
	}
	return m.Model
}

package sim_test

import (
	"context"
	"encoding/csv"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestCorpus runs every test of the corpus under every model, and compares with
// expected.csv, which has a line for each: in the folder async, for the one model that
// places asynchronous operations.
func TestCorpus(t *testing.T) {
	expected := expectedVerdicts(t)
	models := modelsOf(t, expected)
	for model := range models {
		for _, f := range testsFor(t, model) {
			name := strings.TrimSuffix(path.Base(f.Name), ".litmus")
			if _, ok := expected[name][model]; !ok && (path.Dir(f.Name) != "async" || model == "ptx") {
				t.Errorf("expected.csv has no line for %s,%s", name, model)
			}
		}
	}
	for _, f := range corpus(t) {
		name := strings.TrimSuffix(path.Base(f.Name), ".litmus")
		t.Run(name, func(t *testing.T) {
			test, err := sim.Load(f, sim.Defaults())
			if err != nil {
				t.Fatal(err)
			}
			if test.Name.Text != name {
				t.Errorf("the test in %s is called %s", f.Name, test.Name.Text)
			}
			for model, m := range models {
				want, ok := expected[name][model]
				if !ok {
					continue
				}
				r := run(t, test, m)
				got := r.Outcome()
				if got == sim.Unknown && len(r.Undefined) > 0 && r.Limit == nil {
					got = sim.Forbidden // to each execution; of a program that races, the table says so in its reason
				}
				if got.String() != want {
					t.Errorf("%s: %s, want %s", model, got, want)
				}
			}
		})
		delete(expected, name)
	}
	for name := range expected {
		t.Errorf("expected.csv speaks of %s, which is not there", name)
	}
}

// modelsOf loads the models that the table speaks of.
func modelsOf(t *testing.T, expected map[string]map[string]string) map[string]*cat.Model {
	t.Helper()
	models := map[string]*cat.Model{}
	for _, verdicts := range expected {
		for name := range verdicts {
			if models[name] == nil {
				models[name] = loadModel(t, name)
			}
		}
	}
	return models
}

// TestCorpusExecutionsAreValid checks candidates of each test of the corpus, and each of the ways to read a failed cas.
func TestCorpusExecutionsAreValid(t *testing.T) {
	enough := sample.Of(2000, 200)
	for _, f := range corpus(t) {
		for _, writes := range []bool{false, true} {
			c := sim.Defaults()
			c.Reading.CASFailWrites = writes
			if writes {
				c.Reading.Unroll = 0 // a round with a failed cas has a trace then, and spin locks too many executions
			}
			test, err := sim.Load(f, c)
			if err != nil {
				t.Fatal(err)
			}
			var stats enumerate.Stats
			for x, err := range enumerate.Executions(context.Background(), test.Program, enumerate.Options{MaxCandidates: enough}, &stats) {
				if err == nil && x.Wrong == nil { // what has no meaning has no value
					err = x.Validate()
				}
				if err != nil && !sim.IsLimit(err) {
					t.Fatalf("%s: %v", f.Name, err)
				}
			}
			if stats.Candidates == 0 && stats.Truncated == 0 {
				t.Errorf("%s has no candidate execution", f.Name)
			}
		}
	}
}

func corpus(t testing.TB) []*src.File {
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

// expectedVerdicts is by test and model. The first columns of the table are test,
// model and verdict.
func expectedVerdicts(t *testing.T) map[string]map[string]string {
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

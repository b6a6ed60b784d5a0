package sim_test

import (
	"path"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestCorpus runs every test of the corpus under every model, and compares with
// expected.csv, which has a line for each: in the folder async, for the one model that
// places asynchronous operations.
func TestCorpus(t *testing.T) {
	expected := simtest.ExpectedVerdicts(t)
	models := modelsOf(t, expected)
	for model := range models {
		for _, f := range simtest.TestsFor(t, model) {
			name := strings.TrimSuffix(path.Base(f.Name), ".litmus")
			if _, ok := expected[name][model]; !ok && (path.Dir(f.Name) != "async" || model == "ptx") {
				t.Errorf("expected.csv has no line for %s,%s", name, model)
			}
		}
	}
	for _, f := range simtest.Corpus(t) {
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
				r := simtest.Run(t, test, m)
				got := r.Outcome()
				if got == sim.Unknown && len(r.Undefined) > 0 && r.Limit == nil {
					// to each execution; of a program that races, the table says so in its reason
					got = sim.Forbidden
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
				models[name] = simtest.LoadModel(t, name)
			}
		}
	}
	return models
}

package sim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// said is what both engines must say of a test.
type said struct {
	States    []string // with counts
	Flags     []string
	Undefined []string
	Loop      bool
	Error     string
}

func saidBy(r *sim.Result, err error) said {
	if err != nil {
		return said{Error: err.Error()}
	}
	a := said{Flags: append([]string{}, r.Flags...), Undefined: append([]string{}, r.Undefined...), Loop: r.Loop()}
	for _, s := range r.States {
		a.States = append(a.States, fmt.Sprintf("%d× %s (%v)", s.Count, s.State().Format(r.Test.Observables()), s.Satisfies))
	}
	return a
}

// tooMany is how many candidates are too many for the slow engine to be asked. With a
// coherence of the model's choosing, each candidate has many verdicts.
func tooMany(m *cat.Model) int {
	if m.Chooses("co") {
		return sample.Of(100, 50)
	}
	return sample.Of(1000, 500)
}

// atRandom is how random programs are run. What takes longer is not compared: under partial coherence an engine can have very
// many orders to look at.
func atRandom() sim.Config {
	return sim.Config{Reading: frontend.Options{Unroll: randomUnroll}, Timeout: time.Duration(sample.Of(1000, 250)) * time.Millisecond}
}

// compareEngines demands that both engines say the same of a test, and that the witnesses
// of the fast one are executions that the model allows and that end as they should.
func compareEngines(t testing.TB, text string, config sim.Config, name string, m *cat.Model) {
	t.Helper()
	slow, fast := config, config
	slow.Engine, slow.Limits.MaxCandidates = sim.Naive, tooMany(m)
	test, err := sim.Load(src.NewFile("test.litmus", text), slow)
	if err != nil {
		return // both engines see the same error
	}
	want, errSlow := test.Run(context.Background(), m)
	if errSlow == nil && hitLimit(want) {
		return
	}
	test = load(t, text, fast)
	got, errFast := test.Run(context.Background(), m)
	if errFast == nil && hitLimit(got) && config.Timeout > 0 {
		return // a machine may be slow
	}
	if errSlow != nil && errFast != nil {
		return // of several executions that compute what has no meaning, each finds its own first
	}
	if diff := cmp.Diff(saidBy(want, errSlow), saidBy(got, errFast)); diff != "" {
		t.Fatalf("under %s the engines differ (-naive +fast):\n%s\n%s", name, diff, text)
	}
	if errFast != nil || got.Work.Engine == sim.Naive {
		return
	}
	compareWants(t, text, fast, name, m, got)
	slow.Limits.MaxCandidates = 0 // it has been seen to end
	compareWants(t, text, slow, name, m, want)
	for i := range got.States {
		checkWitness(t, text, name, m, test, &got.States[i])
	}
}

// compareWants demands the same states, once each, of an engine that need not count, and the
// same verdict of one that may stop early.
func compareWants(t testing.TB, text string, config sim.Config, name string, m *cat.Model, all *sim.Result) {
	t.Helper()
	config.Want = sim.States
	r, err := load(t, text, config).Run(context.Background(), m)
	if err != nil || !hitLimit(r) && (states(r) != states(all) || !slices.Equal(r.Flags, all.Flags)) {
		t.Fatalf("under %s, without counts: %s %v %v, want %s %v\n%s", name, states(r), r.Flags, err, states(all), all.Flags, text)
	}
	if !hitLimit(r) && r.Positive+r.Negative != len(r.States) {
		t.Fatalf("under %s, without counts: %d and %d in %d states\n%s", name, r.Positive, r.Negative, len(r.States), text)
	}
	config.Want = sim.Verdict
	r, err = load(t, text, config).Run(context.Background(), m)
	if err != nil || !hitLimit(r) && !sameVerdict(r, all) {
		t.Fatalf("under %s, verdict only: %v %v, want %v\n%s", name, r.Outcome(), err, all.Outcome(), text)
	}
	// What is left out of the search for a state that there is not would have raised nothing.
	if r.Outcome() == sim.Forbidden && r.Work.Left == 0 && r.Work.Engine == sim.Fast && !slices.Equal(r.Flags, all.Flags) {
		t.Fatalf("under %s, verdict only: flags %q, want %q\n%s", name, r.Flags, all.Flags, text)
	}
}

// sameVerdict reports that two results are the same but for what an undefined behaviour makes of no matter.
func sameVerdict(r, all *sim.Result) bool {
	return r.Outcome() == all.Outcome() && (r.Outcome() == sim.Undefined || r.Holds() == all.Holds())
}

func checkWitness(t rapid.TB, text, name string, m *cat.Model, test *sim.Test, s *sim.StateCount) {
	t.Helper()
	w := s.Witness()
	if err := w.Validate(); err != nil && !m.Chooses("co") { // such coherence may be partial
		t.Fatalf("under %s a witness is no execution: %v\n%s", name, err, text)
	}
	failed, err := m.Failures(w.Execution, w.Choices)
	if err != nil || len(failed) > 0 {
		t.Fatalf("under %s the model rejects a witness: %v %v\n%s", name, failed, err, text)
	}
	refs := test.Observables()
	var ends []string
	for _, end := range frontend.States(test.Program, w.Execution, refs) {
		ends = append(ends, end.Format(refs))
	}
	if want := s.State().Format(refs); !slices.Contains(ends, want) {
		t.Fatalf("under %s the witness of %s ends in %v\n%s", name, want, ends, text)
	}
}

// TestEnginesOnTheCorpus compares the engines on shipped tests under every shipped model: on some, or on all with
// MUSTER_ALL=1; in the model's other readings on a fifth as many, or nightly on all.
func TestEnginesOnTheCorpus(t *testing.T) {
	for name, m := range everyModel(t, anyTest) {
		config := sim.Defaults()
		if m.Chooses("co") {
			config.Timeout = time.Second // a few candidates have orders for minutes
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, f := range testsFor(t, name) {
				every := sample.Of(1, 24)
				if seldom(name, f) {
					every *= 5
				}
				if !nightly() && i%every != len(name)%every {
					continue
				}
				compareEngines(t, f.Text, config, f.Name+" "+name, m)
			}
		})
	}
}

// seldom reports that a sample of such pairs is enough by day: other readings of models, and asynchronous operations
// under models that do not cover them.
func seldom(model string, f *src.File) bool {
	return strings.Contains(model, " ") || strings.HasPrefix(f.Name, "async/") && model != "ptx"
}

// testsFor is the corpus but for the tests that a model, whatever the reading, is not for.
func testsFor(t testing.TB, model string) []*src.File {
	t.Helper()
	name, _, _ := strings.Cut(model, " ")
	all := models.List()
	info := all[slices.IndexFunc(all, func(i models.Info) bool { return i.Name == name })]
	return slices.DeleteFunc(corpus(t), func(f *src.File) bool {
		header, _, _ := strings.Cut(f.Text, " ")
		return !info.For(header)
	})
}

// anyTest has everyModel list the models for all tests.
const anyTest = ""

// everyModel is the shipped models for tests with a header, also in their other readings.
func everyModel(t testing.TB, header string) map[string]*cat.Model {
	all := map[string]*cat.Model{}
	for _, info := range models.List() {
		if header != anyTest && !info.For(header) {
			continue
		}
		all[info.Name] = loadModel(t, info.Name)
		all[info.Name+" --co=partial"] = loadReading(t, info.Name, models.Config{PartialCo: true})
		if strings.HasPrefix(info.Name, "ptx-") {
			all[info.Name+" dartagnan"] = loadReading(t, info.Name, models.Config{Variants: []string{"dartagnan"}})
		}
	}
	return all
}

func loadReading(t testing.TB, name string, c models.Config) *cat.Model {
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

// TestShippedModelsCompile: none of them is left to the slow engine.
func TestShippedModelsCompile(t *testing.T) {
	for name, m := range everyModel(t, anyTest) {
		if _, err := m.Compile(sim.Vocabulary()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEnginesOnRandomTests compares the engines on random programs, of the paper's dialect, of
// scoped PTX, and with pointers in memory, each under a model drawn.
func TestEnginesOnRandomTests(t *testing.T) {
	all := everyModel(t, "PTX")
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	config := atRandom()
	multiplyChecks(t, 4, 200)
	rapid.Check(t, func(rt *rapid.T) {
		text := ""
		switch rapid.SampledFrom([]string{"scoped", "plain", "pointers"}).Draw(rt, "kind") {
		case "scoped":
			text = drawScopedTest(rt).String()
		case "pointers":
			text = drawPointerTest(rt)
		default:
			text = drawProgram(rt).String()
		}
		name := rapid.SampledFrom(names).Draw(rt, "model")
		compareEngines(t, text, config, name, all[name])
	})
}

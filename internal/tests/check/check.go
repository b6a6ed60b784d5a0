// Package check compares the answers of models about tests with expected verdicts and observations.
//
//	Judgement  the answer of a model about a test, as all comparisons use it
//	Verdicts   a corpus compared with models: expected verdicts, and rows of tables of counts
//	Known      the tests that observations may be of
//	Match      a test and its observations
//
// Observations with final states are added up and judged by package observedreport.
package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// Verdicts compares a corpus with the answers of models about its tests.
type Verdicts struct {
	Tables *corpus.Tables
	Tests  []*Test // in the order of the corpus
	Counts []Count

	byName map[string]*Test
}

// Test is a test of the corpus with the answer of its model.
type Test struct {
	Judgement
	Expected *corpus.Expectation // nil if the corpus expects nothing of this model
}

// Count is a row of a table of counts, compared with the model of its test.
type Count struct {
	observe.Finding
	Of *Test
}

// NewVerdicts returns Verdicts with the tables of a corpus and no tests.
func NewVerdicts(t *corpus.Tables) *Verdicts {
	return &Verdicts{Tables: t, byName: map[string]*Test{}}
}

// Add adds the answer of a model about a test. A second test of the same name is an error and is
// left out.
func (v *Verdicts) Add(m *models.Model, r *sim.Result) error {
	t := &Test{Judgement: Judgement{Result: r, Model: m}}
	if first, twice := v.byName[t.Name()]; twice {
		return fmt.Errorf("%s: a test of the name %s is in %s already", t.at(), t.Name(), first.at())
	}
	if e, ok := v.Tables.Expected(t.Name(), m.Name); ok {
		t.Expected = &e
	}
	v.Tests = append(v.Tests, t)
	v.byName[t.Name()] = t
	return nil
}

// Compare compares each row of the tables of counts with the model, after all tests are added. It
// reports rows without a test as errors, and warns about models of expected verdicts that do not
// exist.
func (v *Verdicts) Compare(report func(error), warn func(format string, args ...any)) {
	v.checkExpected(report, warn)
	for _, r := range v.Tables.Runs {
		t := v.byName[r.Test]
		if t == nil {
			report(fmt.Errorf("observations.csv: no test %s in this corpus could be read", r.Test))
			continue
		}
		v.Counts = append(v.Counts, Count{t.Compare(r, v.Tables.Device(r.Device)), t})
	}
}

// at returns the place of the test: its file and line.
func (t *Test) at() string {
	name := t.Test.Name
	return fmt.Sprintf("%s:%d", name.File.Name, name.Pos().Line)
}

// Name returns the name of the test.
func (t *Test) Name() string { return t.Test.Name.Text }

// Unmet says how the verdict or the flags differ from the expected ones. It returns "" if they
// agree, or if none are expected.
func (t *Test) Unmet() string {
	e := t.Expected
	if e == nil {
		return ""
	}
	switch got := t.Outcome(); {
	case got == sim.Unknown:
		return ""
	case got.String() != e.Verdict:
		return strings.TrimSuffix(fmt.Sprintf("is %s, expected %s: %s", got, e.Verdict, e.Reason), ": ")
	case e.Flagged && !slices.Equal(e.Flags, t.Flags):
		return fmt.Sprintf("has %s, expected %s", listFlags(t.Flags), listFlags(e.Flags))
	}
	return ""
}

func listFlags(flags []string) string {
	switch len(flags) {
	case 0:
		return "no flag"
	case 1:
		return "the flag " + flags[0]
	}
	return "the flags " + strings.Join(flags, " ")
}

// Models lists the models in use.
func (v *Verdicts) Models() []*models.Model {
	var ms []*models.Model
	for _, t := range v.Tests {
		if !slices.Contains(ms, t.Model) {
			ms = append(ms, t.Model)
		}
	}
	return ms
}

// Tally counts the rows for the tests of a model by standing; nil stands for all models.
func (v *Verdicts) Tally(m *models.Model) map[observe.Standing]int {
	n := map[observe.Standing]int{}
	for _, c := range v.Counts {
		if m == nil || c.Of.Model == m {
			n[c.Standing]++
		}
	}
	return n
}

// Unsound lists the tests whose outcome was seen although the model forbids it.
func (v *Verdicts) Unsound() []*Test {
	var tests []*Test
	for _, c := range v.Counts {
		if c.Standing == observe.Unsound && !slices.Contains(tests, c.Of) {
			tests = append(tests, c.Of)
		}
	}
	return tests
}

// Devices lists the chips with counts, in the order of the table of devices.
func (v *Verdicts) Devices() []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) &&
			slices.ContainsFunc(v.Counts, func(c Count) bool { return c.Device == name }) {
			names = append(names, name)
		}
	}
	for _, d := range v.Tables.Devices {
		add(d.Name)
	}
	for _, c := range v.Counts {
		add(c.Device)
	}
	return names
}

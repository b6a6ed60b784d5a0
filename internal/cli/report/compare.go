package report

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/wire"
)

// Differences collects the tests on which models differ, or may differ.
type Differences struct {
	Models              []string // names
	States              bool     // final states count too
	Tests, Differ, Open int

	only []int      // by model: the number of tests whose outcome that model alone allows
	rows [][]string // one for each test that differs or is open
}

// NewDifferences returns an empty Differences for models with these names.
func NewDifferences(models []string, states bool) *Differences {
	return &Differences{Models: models, States: states, only: make([]int, len(models))}
}

// The kinds of tests that Differences lists.
const (
	Difference = "difference" // the models contradict each other
	Open       = "open"       // they may: an answer is unknown
)

// Add adds a test. It returns the kind under which the test is listed, or "".
func (d *Differences) Add(c *probe.Comparison) string {
	d.Tests++
	kind := ""
	switch {
	case c.Differs(d.States):
		kind = Difference
		d.Differ++
	case c.Open(d.States):
		kind = Open
		d.Open++
	default:
		return ""
	}
	if i := c.Alone(); i >= 0 {
		d.only[i]++
	}
	// a clone, because a substring would keep the whole text of the test alive
	row := []string{strings.Clone(c.Test.Name.Text)}
	for _, r := range c.Results {
		cell := r.Outcome().String()
		if d.States {
			cell += fmt.Sprintf(" (%s)", Count(len(r.States), "state"))
		}
		row = append(row, cell)
	}
	d.rows = append(d.rows, row)
	return kind
}

// Graph returns an execution by which one model allows the outcome that others forbid, or nil.
func (d *Differences) Graph(c *probe.Comparison, asked []*models.Model) (*viz.Graph, error) {
	w, state, model := c.Showing()
	if w == nil {
		return nil, nil
	}
	var forbid []string
	for i, o := range c.Outcomes() {
		if o == sim.Forbidden {
			forbid = append(forbid, d.Models[i])
		}
	}
	opts := picture.About(c.Test.Name.Text, c.Results[model].Test)
	opts.Subtitle = fmt.Sprintf("%s allowed by %s, forbidden by %s", state.Format(c.Test.Observables()),
		d.Models[model], strings.Join(forbid, ", "))
	return picture.Of(asked[model].Model, w, opts)
}

// Differences prints the table of tests and the totals.
func (t *Text) Differences(d *Differences) {
	if len(d.rows) > 0 {
		t.table(append([][]string{append([]string{""}, d.Models...)}, d.rows...))
		t.printf("\n")
	}
	var only []string
	for i, n := range d.only {
		if n > 0 {
			only = append(only, fmt.Sprintf("%d allowed by %s alone", n, d.Models[i]))
		}
	}
	differ := "differ"
	if d.Tests == 1 {
		differ = "differs"
	}
	t.printf("%d of %s %s", d.Differ, Count(d.Tests, "test"), differ)
	if len(only) > 0 {
		t.printf(": %s", strings.Join(only, ", "))
	}
	if d.Open > 0 {
		t.printf("; of %s it is not known", Count(d.Open, "other"))
	}
	t.printf("\n")
}

// DifferenceJSON returns a listed test as an object.
func (d *Differences) DifferenceJSON(c *probe.Comparison, kind string) wire.Difference {
	j := wire.Difference{Type: kind, Test: c.Test.Name.Text, File: c.Test.File.Name, Outcomes: map[string]string{}}
	if d.States {
		j.States = map[string]int{}
	}
	for i, r := range c.Results {
		j.Outcomes[d.Models[i]] = r.Outcome().String()
		if d.States {
			j.States[d.Models[i]] = len(r.States)
		}
	}
	return j
}

// TotalsJSON returns the totals.
func (d *Differences) TotalsJSON() wire.CompareTotals {
	totals := wire.CompareTotals{Type: "totals", Tests: d.Tests, Differ: d.Differ, Open: d.Open, Only: map[string]int{}}
	for i, n := range d.only {
		totals.Only[d.Models[i]] = n
	}
	return totals
}

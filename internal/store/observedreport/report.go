// Package observedreport compares what chips were seen to do with what models say, and makes a page
// of it.
//
//	Report   devices, tests, void runs
//	Device   a chip and its totals
//	Test     a test under a model, with its outcomes
//	Outcome  a final state: the model's answer, and its count on each chip
//	Cell     the count on one chip, and its standing under the model
//	Family   sums of the tests of one shape
//	Page     all of it as HTML
//
// Add the tests one by one; then ask for UNSOUND outcomes, for families, or for the page. Package
// report prints it.
package observedreport

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/check"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/viz"
)

// Report compares observations with the answers of models.
type Report struct {
	Models  []*models.Model // in the order of their first use
	Devices []*Device
	Tests   []*Test
	Voids   []Void

	index map[*observe.Device]int
}

// Device is a chip and its totals.
type Device struct {
	*observe.Device
	Label     string // its name, with details if several have the name
	Tests     int
	Runs      int // runs that count
	NotRun    int
	Unchecked int // of Runs, those without an optcheck verdict
	Void      int // runs that do not count
	Instances int64
	Outcomes  int                      // that it showed, over all tests
	Standings map[observe.Standing]int // of Outcomes
}

// Void is a number of runs that do not count, because the machine code is not the test.
type Void struct {
	Test   *Test
	Device *Device
	Runs   int
	Why    string
}

// Test is a test under a model.
type Test struct {
	Name, Hash, Family, Condition string

	Source     *src.File
	Model      *models.Model
	Outside    bool   // the model does not cover it
	Incomplete string // what cut the model's answer short, or ""
	Outcomes   []*Outcome
}

// Outcome is a final state of a test.
type Outcome struct {
	Test      *Test
	State     litmus.Outcome
	Condition bool // not a state but all that the condition asks for: tables count nothing else
	AskedFor  bool // by the condition
	Says      sim.Outcome
	Cells     []Cell // by device, as in Report.Devices

	// For an UNSOUND outcome, filled in by the caller:
	Explanation *sim.Explanation
	Picture     *viz.Graph
}

// Cell is the count of an outcome on one chip.
type Cell struct {
	Count     int64
	Instances int64 // 0 if the chip did not run the test
	Launches  observe.Launches
	Standing  observe.Standing
	Why       string // for Outside: what is outside
}

// New returns an empty report about devices.
func New(devices []*observe.Device) *Report {
	r := &Report{index: map[*observe.Device]int{}}
	names := map[string]int{}
	for _, d := range devices {
		names[d.Name]++
	}
	for i, d := range devices {
		r.index[d] = i
		label := d.Name
		if names[d.Name] > 1 {
			label = fmt.Sprintf("%s (%s)", d.Name, d.UUID)
		}
		r.Devices = append(r.Devices, &Device{Device: d, Label: label, Standings: map[observe.Standing]int{}})
	}
	return r
}

// Add adds a test: the answer of a model and what chips showed. The error, a src.Diagnostics, is
// about observations that do not belong to this test; they are left out.
func (r *Report) Add(m *models.Model, result *sim.Result, tested []*observe.Tested) error {
	b := newBuilder(r, &check.Judgement{Result: result, Model: m})
	for _, t := range tested {
		for _, s := range t.Shown {
			b.add(s)
		}
	}
	b.judge()
	if !slices.Contains(r.Models, m) {
		r.Models = append(r.Models, m)
	}
	r.Tests = append(r.Tests, b.test)
	return b.errs.Err()
}

// builder builds the entry of a test.
type builder struct {
	report *Report
	test   *Test
	model  *check.Judgement
	names  []string            // names of the values in a state
	byKey  map[string]*Outcome // states
	asked  *Outcome            // from tables, or nil
	runs   []int64             // by device: the number of instances behind the counts of states
	ran    []bool              // by device: whether some run counts
	in     []observe.Launched  // by device: the launches of runs
	errs   src.Diagnostics
}

func newBuilder(r *Report, j *check.Judgement) *builder {
	t := j.Test
	b := &builder{
		report: r, model: j,
		test: &Test{
			Name: t.Name.Text, Hash: t.Hash(), Family: observe.Family(t.Name.Text), Condition: t.Cond.String(),
			Source: t.File, Model: j.Model, Incomplete: j.Incomplete(), Outside: j.Outside(),
		},
		names: litmus.Names(t.Observables()), byKey: map[string]*Outcome{},
		runs: make([]int64, len(r.Devices)),
		ran:  make([]bool, len(r.Devices)),
		in:   make([]observe.Launched, len(r.Devices)),
	}
	for _, s := range j.States {
		o := b.outcome(s.State().Outcome(b.names))
		o.Says = sim.Allowed
		o.AskedFor = s.Satisfies != (t.Cond.Quant == litmus.Forall)
	}
	return b
}

// outcome returns the outcome of a state. It adds one that the model does not allow if there is
// none.
func (b *builder) outcome(s litmus.Outcome) *Outcome {
	key := s.String()
	if b.byKey[key] == nil {
		b.byKey[key] = &Outcome{Test: b.test, State: s, Says: b.model.NotFound(), Cells: make([]Cell, len(b.runs))}
	}
	return b.byKey[key]
}

// add adds what a chip showed.
func (b *builder) add(s *observe.Shown) {
	for _, o := range s.Histogram {
		if !slices.EqualFunc(o.Values, b.names, func(v litmus.Binding, name string) bool { return v.Name == name }) {
			b.errs.Errorf(s.At, "the state %s is not one of %s, which ends in values of %s",
				o, b.test.Name, strings.Join(b.names, ", ")).Hint = "what this device showed of the test is left out"
			return
		}
	}
	i := b.report.index[s.Device]
	d := b.report.Devices[i]
	for j, o := range s.Histogram {
		c := &b.seen(o).Cells[i]
		c.Count += o.Count
		c.Launches.Seen += s.Came[j]
	}
	b.runs[i] += s.Instances
	b.in[i].Add(s.Launched)
	if s.AskedInstances > 0 {
		b.askedFor(i, s)
	}
	for _, why := range slices.Sorted(maps.Keys(s.Void)) {
		b.report.Voids = append(b.report.Voids, Void{b.test, d, s.Void[why], why})
		d.Void += s.Void[why]
	}
	if s.Runs > 0 && !b.ran[i] {
		b.ran[i] = true
		d.Tests++
	}
	d.Runs += s.Runs
	d.NotRun += s.NotRun
	d.Unchecked += s.Unchecked
	d.Instances += s.Instances + s.AskedInstances
}

// seen returns the outcome of a state that was seen.
func (b *builder) seen(s litmus.Outcome) *Outcome {
	o := b.outcome(s)
	if o.Says == sim.Allowed {
		return o
	}
	o.AskedFor = check.AskedFor(b.model.Test, s)
	return o
}

// askedFor adds the rows of a table.
func (b *builder) askedFor(device int, s *observe.Shown) {
	if b.asked == nil {
		b.asked = &Outcome{
			Test: b.test, Condition: true, AskedFor: true, Says: b.model.Outcome(), Cells: make([]Cell, len(b.runs)),
		}
	}
	c := &b.asked.Cells[device]
	c.Count += s.Asked
	c.Instances += s.AskedInstances
}

// neverSeen records that no run ended as the condition asks, and that no execution can: there is no
// state to attach this to.
func (b *builder) neverSeen() {
	b.asked = &Outcome{
		Test:      b.test,
		Condition: true,
		AskedFor:  true,
		Says:      sim.Forbidden,
		Cells:     make([]Cell, len(b.runs)),
	}
	for i := range b.runs {
		b.asked.Cells[i].Instances, b.asked.Cells[i].Launches = b.runs[i], b.in[i].Seen(0)
	}
}

// judge compares each count with the model.
func (b *builder) judge() {
	for _, o := range b.byKey {
		for i := range o.Cells {
			c := &o.Cells[i]
			c.Instances, c.Launches = b.runs[i], b.in[i].Seen(c.Launches.Seen)
		}
		b.test.Outcomes = append(b.test.Outcomes, o)
	}
	slices.SortFunc(b.test.Outcomes, func(o, p *Outcome) int { return o.State.Compare(p.State) })
	if b.asked == nil && slices.ContainsFunc(b.runs, func(n int64) bool { return n > 0 }) &&
		b.model.Outcome() == sim.Forbidden &&
		!slices.ContainsFunc(b.test.Outcomes, func(o *Outcome) bool { return o.AskedFor }) {
		b.neverSeen()
	}
	if b.asked != nil {
		b.test.Outcomes = append(b.test.Outcomes, b.asked)
	}
	for _, o := range b.test.Outcomes {
		p := b.model.Predict(o.Says)
		for i := range o.Cells {
			c, d := &o.Cells[i], b.report.Devices[i]
			if c.Instances == 0 {
				c.Standing = observe.NotRun
				continue
			}
			c.Standing, c.Why = observe.Judge(c.Count > 0, *d.Device, p, b.test.Model.Chips)
			if c.Count > 0 {
				d.Outcomes++
				d.Standings[c.Standing]++
			}
		}
	}
}

// Package rig is a machine on which tests are run, with all that a record says of it.
//
//	Rig       a GPU or an interpreter, with settings: runs tests and describes what it saw
//	Machines  the machines that there are, and what they run unless somebody says otherwise
package rig

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/gpu"
	"github.com/muster-gpu/muster/harness/interp"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// Machine is what there is to say of a kind of machine.
type Machine struct {
	Settings  func() harness.Settings
	Draw      func(*rand.Rand) harness.Settings // settings of its size, for a search
	Instances int
}

// Machines are the machines by name. The interpreter takes some 30 ms for a
// thousand instances, and for a million with the settings of a GPU minutes.
var Machines = map[string]Machine{
	"gpu":         {harness.Usual, harness.Draw, 1_000_000},
	"interpreter": {harness.Few, harness.DrawFew, 1000},
	"weak":        {harness.Few, harness.DrawFew, 1000},
}

// Rig is a machine with settings. Fill it in before it is opened.
type Rig struct {
	Name      string // of Machines
	Index     int    // of the GPU
	Settings  harness.Tunings
	Instances int // of each test; 0 for what is usual on the machine
	Seed      uint64
	Limit     time.Duration // of a kernel

	Machine harness.Machine // nil before it is opened
	gpu     *gpu.GPU        // nil for an interpreter
}

// Settle reads how tests are run: in the paper's style if there are incantations; else as the machine usually does, or as a
// file of settings says, "-" for standard input.
func (r *Rig) Settle(incantations []string, file string, stdin io.Reader) error {
	r.Settings.Settings = harness.Usual()
	if m, ok := Machines[r.Name]; ok {
		r.Settings.Settings = m.Settings()
	}
	if incantations != nil {
		some, err := harness.ParseIncantations(incantations)
		r.Settings.Settings = some.Settings()
		return err
	}
	if file == "" {
		return nil
	}
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		stdin = f
	}
	d := json.NewDecoder(stdin)
	d.DisallowUnknownFields()
	if err := d.Decode(&r.Settings); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Open opens the machine.
func (r *Rig) Open() error {
	if r.Instances < 0 {
		return fmt.Errorf("--instances must be positive")
	}
	r.Instances = cmp.Or(r.Instances, Machines[r.Name].Instances)
	switch r.Name {
	case "interpreter":
		r.Machine = interp.New(r.Seed)
		return nil
	case "weak":
		r.Machine = interp.NewWeak(r.Seed)
		return nil
	case "gpu":
		g, err := gpu.Open("", r.Index)
		if err != nil {
			return err
		}
		g.Limit = r.Limit
		r.Machine, r.gpu = g, g
		return nil
	}
	return fmt.Errorf("--machine is gpu, interpreter or weak, not %q", r.Name)
}

// Close closes it.
func (r *Rig) Close() error {
	if r.gpu == nil {
		return nil
	}
	return r.gpu.Close()
}

// Abandon leaves the machine to a kernel that still runs, which only the end of the program stops.
func (r *Rig) Abandon() { r.gpu = nil }

// Target is what kernels are made for.
func (r *Rig) Target() harness.Target {
	if r.gpu == nil {
		return harness.SM90
	}
	return r.gpu.Target()
}

// Run runs a test.
func (r *Rig) Run(ctx context.Context, p *harness.Plan) (*harness.Histogram, error) {
	return p.Run(ctx, r.Machine, r.Settings.For(p.Test.Name.Text), r.Seed, r.Instances)
}

// Tuning is a search for better settings, which begins with so many.
func (r *Rig) Tuning(draws int) harness.Tuning {
	return harness.Tuning{
		Machine: r.Machine, First: r.Settings.Settings, Draws: draws, Draw: Machines[r.Name].Draw, Instances: r.Instances, Seed: r.Seed,
	}
}

// NewRecord is what is known of a run before it begins.
func (r *Rig) NewRecord(t *sim.Test, muster string) (*observe.Record, error) {
	settings, err := json.Marshal(r.Settings.For(t.Name.Text))
	return &observe.Record{
		Muster: muster, Test: t.Name.Text, Hash: t.Hash(), Text: t.Test.String(), Device: r.device(), Toolkit: r.toolkit(),
		Settings: settings, Seed: r.Seed, Instances: int64(r.Instances),
	}, err
}

// Observe runs a test and fills the record with what was seen, and whether the machine code was the test.
func (r *Rig) Observe(ctx context.Context, t *sim.Test, p *harness.Plan, record *observe.Record) (*harness.Histogram, error) {
	began := time.Now()
	hist, err := r.Run(ctx, p)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	record.Time, record.Seconds, record.Instances = began.UTC().Truncate(time.Millisecond), hist.Elapsed.Seconds(), int64(hist.Instances)
	for _, o := range outcomes(t, hist) {
		record.Histogram = append(record.Histogram, observe.NewBar(o))
	}
	record.Optcheck = r.checkCode(ctx, p)
	return hist, nil
}

// device describes the machine in records.
func (r *Rig) device() observe.Device {
	if r.gpu == nil {
		return observe.Device{Name: r.Name} // of no vendor, so that models of any vendor's chips speak of it
	}
	d := r.gpu.Device()
	return observe.Device{
		Name: d.Name, Vendor: "Nvidia", Chip: d.Name, ComputeCapability: fmt.Sprintf("%d.%d", d.Major, d.Minor),
		Driver: r.gpu.Driver(), UUID: d.UUID,
	}
}

// toolkit is what has made machine code of the kernels.
func (r *Rig) toolkit() string {
	if r.gpu == nil {
		return "none: an interpreter ran the PTX"
	}
	return "the compiler of the driver, CUDA " + r.gpu.Driver()
}

// Checks reports that the machine code of what runs can be compared with the test.
func (r *Rig) Checks() bool { return r.gpu != nil && optcheck.FindTools().CanList() }

// checkCode compares the machine code that has run with the test.
func (r *Rig) checkCode(ctx context.Context, p *harness.Plan) observe.Optcheck {
	if r.gpu == nil {
		return observe.Optcheck{Verdict: observe.NotChecked, Why: "an interpreter ran the PTX"}
	}
	report := optcheck.CheckCubin(ctx, p, r.gpu.Cubin())
	verdict := map[optcheck.Verdict]observe.Verdict{
		optcheck.Passed: observe.Passed, optcheck.Failed: observe.Failed, optcheck.NotChecked: observe.NotChecked,
	}
	return observe.Optcheck{Verdict: verdict[report.Verdict], Why: report.Why()}
}

// outcomes is a histogram as logs and records show it.
func outcomes(t *sim.Test, hist *harness.Histogram) []litmus.Outcome {
	names := litmus.Names(hist.Refs)
	prop := t.Program.Normalize(t.Cond.Prop)
	var all []litmus.Outcome
	for _, c := range hist.States {
		o := c.State.Outcome(names)
		o.Count, o.Satisfies = int64(c.N), prop.Eval(c.State.Lookup(hist.Refs))
		all = append(all, o)
	}
	return all
}

// Log is a histogram in the form of litmus7's log.
func Log(t *sim.Test, hist *harness.Histogram) *litmus.Record {
	r := &litmus.Record{
		Test: t.Name.Text, Kind: t.Cond.Quant.Kind(), Histogram: true, States: outcomes(t, hist),
		Condition: t.Cond.String(), Time: hist.Elapsed, Hash: t.Hash(),
	}
	for _, o := range r.States {
		if o.Satisfies {
			r.Positive += o.Count
		} else {
			r.Negative += o.Count
		}
	}
	r.Observation = litmus.Observe(r.Positive, r.Negative)
	if !t.Cond.Quant.Holds(r.Positive, r.Negative) {
		r.Verdict = litmus.No
	}
	return r
}

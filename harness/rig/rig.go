// Package rig is a machine on which tests are run, with everything that records say about it.
//
//	Rig       a GPU or an interpreter, with settings: runs tests and describes what it saw
//	Machines  the kinds of machines, and their defaults
package rig

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/gpu"
	"github.com/muster-gpu/muster/harness/interp"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/litmus-tests/recorded"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Machine has the defaults of a kind of machine.
type Machine struct {
	Settings  func() harness.Settings
	Draw      func(*rand.Rand) harness.Settings // settings of its size, for a search
	Instances int
	// instances if each has a launch of its own, as in the paper, which ran each test 100,000 times
	// (ASPLOS 2015, Sec. 4)
	Single int
}

// Machines are the kinds of machines by name. The interpreter takes some 30 ms for a thousand
// instances, and minutes for a million with the settings of a GPU; a launch in the paper's style
// takes it a second.
var Machines = map[string]Machine{
	"gpu":         {harness.Usual, harness.Draw, 1_000_000, 100_000},
	"interpreter": {harness.Few, harness.DrawFew, 1000, 10},
	"weak":        {harness.Few, harness.DrawFew, 1000, 10},
}

// instances returns the default number of instances of a test with such settings.
func (m Machine) instances(s harness.Settings) int {
	if s.OneInstance {
		return m.Single
	}
	return m.Instances
}

// Rig is a machine with settings. Fill it in before opening it.
type Rig struct {
	Name      string // of Machines
	Index     int    // of the GPU
	Settings  harness.Tunings
	Instances int           // of each test; 0 for the machine's default
	TestTime  time.Duration // bounds the time of the launches of a test; 0 for no bound
	Seed      uint64
	Limit     time.Duration // of a kernel
	Opaque    bool          // whatever the settings say
	Cubins    string        // a folder to keep machine code in, or ""

	Machine   harness.Machine // nil before it is opened
	gpu       *gpu.GPU        // nil for an interpreter
	tools     optcheck.Tools
	assembler string // the version of ptxas, if it makes the machine code

	mutex  sync.Mutex
	checks map[string]observe.Optcheck // of prepared kernels, by harness.Plan.CodeFile
}

// Settle determines the settings: in the paper's style if there are incantations; else those of a
// file, "-" for standard input, or the machine's defaults.
func (r *Rig) Settle(incantations []string, file string, stdin io.Reader) error {
	err := r.settle(incantations, file, stdin)
	if r.Opaque {
		r.Settings.Opaque = true
		for name, s := range r.Settings.Tests {
			s.Opaque = true
			r.Settings.Tests[name] = s
		}
	}
	return err
}

func (r *Rig) settle(incantations []string, file string, stdin io.Reader) error {
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
	name := "<standard input>"
	if file != "-" {
		f, err := recorded.Settings(file)
		if err != nil {
			return err
		}
		defer f.Close()
		stdin, name = f, file
	}
	text, err := src.Read(stdin, maxSettings)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return readTunings(src.NewFile(name, text), &r.Settings)
}

// Open opens the machine. If there is a ptxas that supports the GPU, and whose output the driver
// loads, ptxas makes the machine code; else the driver does.
func (r *Rig) Open() error {
	if r.Instances < 0 {
		return fmt.Errorf("--instances must be positive")
	}
	if r.TestTime < 0 {
		return fmt.Errorf("--test-time must not be negative")
	}
	r.Instances = cmp.Or(r.Instances, Machines[r.Name].instances(r.Settings.Settings))
	switch r.Name {
	case "interpreter", "weak":
		m := interp.New(r.Seed)
		if r.Name == "weak" {
			m = interp.NewWeak(r.Seed)
		}
		m.Limit, r.Machine = r.Limit, m
		return nil
	case "gpu":
		g, err := gpu.Open("", r.Index)
		if err != nil {
			return err
		}
		g.Limit = r.Limit
		r.Machine, r.gpu, r.tools, r.checks = g, g, optcheck.FindTools(), map[string]observe.Optcheck{}
		r.useAssembler(context.Background())
		if r.Cubins != "" {
			return os.MkdirAll(r.Cubins, 0o777)
		}
		return nil
	}
	return fmt.Errorf("--machine is gpu, interpreter or weak, not %q", r.Name)
}

// useAssembler makes ptxas the compiler if it works: it may not support the GPU, or be newer than
// the driver.
func (r *Rig) useAssembler(ctx context.Context) {
	target := r.gpu.Target()
	cubin, err := r.tools.Assemble(ctx, target.Trial(), target, 0)
	if err != nil || !r.gpu.Loads(cubin) {
		return
	}
	r.assembler = r.tools.Assembler(ctx)
	r.gpu.Compiler = func(ctx context.Context, ptx string) ([]byte, error) {
		return r.tools.Assemble(ctx, ptx, target, 3)
	}
}

// Close closes the machine.
func (r *Rig) Close() error {
	if r.gpu == nil {
		return nil
	}
	return r.gpu.Close()
}

// Abandon leaves the machine to a kernel that still runs, which only the end of the program stops.
func (r *Rig) Abandon() { r.gpu = nil }

// Target returns the target for which kernels are made.
func (r *Rig) Target() harness.Target {
	if r.gpu == nil {
		return harness.SM100
	}
	return r.gpu.Target()
}

// GPUs returns the number of GPUs that can play a test together. An interpreter has as many as a
// test needs.
func (r *Rig) GPUs() int {
	if r.gpu == nil {
		return harness.MaxGPUs
	}
	return len(r.gpu.Linked())
}

// plan returns a test with the kernels that its settings ask for.
func (r *Rig) plan(p *harness.Plan) *harness.Plan { return p.As(r.Settings.Of(p)) }

// Ahead returns how many tests are worth preparing while others run.
func (r *Rig) Ahead() int {
	if r.gpu == nil {
		return 0
	}
	return runtime.GOMAXPROCS(0)
}

// Compile makes the machine code of a test. It may be called concurrently, and while tests run.
func (r *Rig) Compile(ctx context.Context, _ *sim.Test, p *harness.Plan) error {
	if r.gpu == nil {
		return nil
	}
	_, err := r.gpu.Code(ctx, r.plan(p).Kernels())
	return err
}

// Try runs a kernel that does nothing. It returns an error if the machine cannot run it.
func (r *Rig) Try(ctx context.Context) error {
	text := r.Target().Trial()
	if err := r.Machine.Load(ctx, text); err != nil {
		return err
	}
	_, err := r.Machine.Run(ctx,
		[]harness.Step{{Kernel: &harness.Launch{Entry: harness.TrialEntry, Grid: 1, Block: harness.WarpSize}}})
	return err
}

// Prepare makes the machine code of a test, keeps it if asked, and compares it with the test. It
// may be called like Compile.
func (r *Rig) Prepare(ctx context.Context, p *harness.Plan) error {
	if r.gpu == nil {
		return nil
	}
	p = r.plan(p)
	text := p.Kernels()
	cubin, err := r.gpu.Code(ctx, text)
	if err != nil {
		return err
	}
	if r.Cubins != "" {
		if err := os.WriteFile(filepath.Join(r.Cubins, p.CodeFile()), cubin, 0o666); err != nil {
			return &NotRecordedError{err}
		}
	}
	report := optcheck.CheckCubin(ctx, p, cubin)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.checks[p.CodeFile()] = observe.Optcheck{Verdict: verdicts[report.Verdict], Why: report.Why()}
	return nil
}

var verdicts = map[optcheck.Verdict]observe.Verdict{
	optcheck.Passed: observe.Passed, optcheck.Failed: observe.Failed, optcheck.NotChecked: observe.NotChecked,
}

// NotRecordedError reports that something could not be written, for example on a full disk. It is
// not the fault of a test, and prevents all others from being recorded, too.
type NotRecordedError struct{ Err error }

func (e *NotRecordedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *NotRecordedError) Unwrap() error { return e.Err }

// Found returns what Prepare has found about the machine code of a test, or false if it has not
// been prepared.
func (r *Rig) Found(p *harness.Plan) (observe.Optcheck, bool) {
	if r.gpu == nil {
		return observe.Optcheck{Verdict: observe.NotChecked, Why: "an interpreter ran the PTX"}, true
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	check, ok := r.checks[r.plan(p).CodeFile()]
	return check, ok
}

// check returns what Prepare finds, which it calls if necessary.
func (r *Rig) check(ctx context.Context, p *harness.Plan) (observe.Optcheck, error) {
	if check, ok := r.Found(p); ok {
		return check, nil
	}
	err := r.Prepare(ctx, p)
	check, _ := r.Found(p)
	return check, err
}

// Run runs a test.
func (r *Rig) Run(ctx context.Context, p *harness.Plan) (*harness.Histogram, error) {
	return p.RunPart(ctx, r.Machine, r.Settings.Of(p),
		harness.Part{Seed: r.Seed, Instances: r.Instances, Time: r.TestTime})
}

// NewRecord returns a record with what is known before a run.
func (r *Rig) NewRecord(t *sim.Test, p *harness.Plan, muster string) (*observe.Record, error) {
	settings, err := json.Marshal(r.Settings.Of(p))
	return &observe.Record{
		Muster:   muster,
		Test:     t.Name.Text,
		Hash:     t.Hash(),
		Text:     t.Test.String(),
		Device:   r.device(p.GPUs()),
		Toolkit:  r.toolkit(),
		Settings: settings, Seed: r.Seed, Instances: int64(r.Instances),
	}, err
}

// Observe runs a part of a test and fills the record with what was seen, and whether the machine
// code was the test.
func (r *Rig) Observe(
	ctx context.Context, t *sim.Test, p *harness.Plan, record *observe.Record, part harness.Part,
) (*harness.Histogram, error) {
	var err error
	if record.Optcheck, err = r.check(ctx, p); err != nil {
		return nil, err
	}
	began := time.Now()
	part.Seed = r.Seed
	hist, err := p.RunPart(ctx, r.Machine, r.Settings.Of(p), part)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	record.Time, record.Seconds, record.Instances = began.UTC().Truncate(time.Millisecond),
		hist.Elapsed.Seconds(), int64(hist.Instances)
	record.Launches = int64(hist.Launches)
	for i, o := range outcomes(t, hist) {
		bar := observe.NewBar(o)
		bar.Launches = int64(hist.States[i].Launches)
		record.Histogram = append(record.Histogram, bar)
	}
	return hist, nil
}

// device describes the machine in records: the first GPU, with identification of all GPUs that
// play.
func (r *Rig) device(gpus int) observe.Device {
	if r.gpu == nil {
		// without a vendor, so that models of any vendor's chips cover it
		return observe.Device{Name: r.Name}
	}
	d := r.gpu.Device()
	var all []string
	for _, one := range r.gpu.Linked()[:gpus] {
		all = append(all, one.UUID)
	}
	return observe.Device{
		Name: d.Name, Vendor: "Nvidia", Chip: d.Name, ComputeCapability: fmt.Sprintf("%d.%d", d.Major, d.Minor),
		Driver: r.gpu.Driver(), UUID: strings.Join(all, " "),
	}
}

// toolkit names what has made machine code of the kernels.
func (r *Rig) toolkit() string {
	if r.gpu == nil {
		return "none: an interpreter ran the PTX"
	}
	return cmp.Or(r.assembler, "the compiler of the driver, CUDA "+r.gpu.Driver())
}

// Again reports whether a run should be repeated although there is a record of it: its machine code
// was not compared with the test because there was no disassembler, and now there is one. A record
// that does not give the reason counts as such; tests that are never compared do not.
func (r *Rig) Again(record *observe.Record) bool {
	check := record.Optcheck
	return r.gpu != nil && r.tools.CanList() && check.Verdict == observe.NotChecked &&
		(check.Why == "" || check.Why == optcheck.ErrNoDisassembler.Error())
}

// outcomes returns a histogram in the form of logs and records.
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

// Log returns a histogram in the form of litmus7's log.
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

package campaign

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
	"github.com/muster-gpu/muster/harness/rig"
	"github.com/muster-gpu/muster/internal/cli/supervise"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// Recording runs tests and appends what was seen to a file of records. A run that the file has is
// not repeated.
type Recording struct {
	Rig    *rig.Rig
	File   string
	Muster string    // the version that records
	Notes  io.Writer // for notes to the user
	// Running is called with the number of recorded runs and the test that runs next.
	Running func(recorded int, test string)

	// PartTime bounds the time of the launches of one record. A longer run is recorded in parts, so
	// that an interruption loses only the last part. 0 is DefaultPartTime.
	PartTime time.Duration

	// Status, unless nil, is called with the exit status so far of the processes before this one,
	// and returns the present one.
	Status func(before int) int

	Totals

	to     *observe.Recorder
	parent *supervise.Child // or nil
	done   map[string]observe.Done
	here   progress      // the progress of this campaign, but for Totals
	spent  time.Duration // time of the launches of the test
	blamed bool          // the parent knows which test broke the GPU
}

// Totals count what a campaign has done, in all its processes.
type Totals struct {
	Recorded int // records that were written
	Faults   int // the part of them that record a fault
	There    int // runs that the file had before
}

// tell prints the totals for a file.
func (t Totals) tell(to io.Writer, file string) {
	faults := ""
	if t.Faults > 0 {
		faults = fmt.Sprintf(" (%s)", count(t.Faults, "fault"))
	}
	fmt.Fprintf(to, "%s appended to %s%s, %d were there already\n", count(t.Recorded, "record"), file, faults, t.There)
}

func count(n int, things string) string {
	if n != 1 {
		things += "s"
	}
	return fmt.Sprint(n, " ", things)
}

// progress is the progress of a campaign, which a later process continues.
type progress struct {
	Totals
	Next   int // the number of the first test that is not done
	Alone  int // as in Tests
	Ahead  int // number of tests that are prepared while one runs
	Status int // exit status so far
}

// DefaultPartTime is long compared with the time to write a record.
const DefaultPartTime = 10 * time.Second

// Run records tests.
func (r *Recording) Run(ctx context.Context, tests Tests) error {
	to, err := observe.Append(r.File) // an endless file, such as a device, is refused before it is read
	if err != nil {
		return err
	}
	defer to.Close()
	r.done, err = observe.ReadDone(r.File, r.Rig.Again, func(err error) { fmt.Fprintln(r.Notes, err) })
	if err != nil {
		return err
	}
	r.to, r.parent = to, supervise.Aboard()
	if err := r.goOn(&tests); err != nil {
		return err
	}
	if r.parent == nil { // else the parent prints them, for all processes
		defer func() { r.tell(r.Notes, r.File) }()
	}
	if r.parent.Attempt() > 1 {
		err = r.Rig.Try(ctx)
	}
	if err != nil {
		err = fmt.Errorf("after what was recorded as a fault the GPU runs not even an empty kernel: %w", err)
	} else if err = tests.each(ctx, func(p prepared) error { return r.run(ctx, p) }); r.parent != nil &&
		cuda.Breaks(err) {
		if !r.blamed { // the GPU broke while tests were prepared
			fmt.Fprintln(r.Notes, err)
		}
		r.Rig.Abandon()
		return nil // the parent starts another process
	}
	return errors.Join(err, r.parent.Ends(r.progress()))
}

// goOn continues where the process before this one stopped.
func (r *Recording) goOn(tests *Tests) error {
	if err := r.parent.Before(&r.here); err != nil {
		return err
	}
	if r.Status != nil {
		r.Status(r.here.Status)
	}
	r.Totals, r.here.Ahead = r.here.Totals, r.Rig.Ahead()
	tests.Next, tests.Alone, tests.Ahead, tests.Prepare = r.here.Next, r.here.Alone, r.here.Ahead, r.prepare
	return r.doing(nil)
}

func (r *Recording) progress() progress {
	r.here.Totals = r.Totals
	if r.Status != nil {
		r.here.Status = r.Status(0)
	}
	return r.here
}

// doing tells the parent, if there is one, which record has begun, or nil, and how far the campaign
// has come.
func (r *Recording) doing(doing *observe.Record) error {
	if doing == nil {
		return r.parent.Doing(nil, r.progress())
	}
	return r.parent.Doing(doing, r.progress())
}

// left returns the number of instances that a run still needs.
func (r *Recording) left(record *observe.Record) int64 {
	d := r.done[record.Run()]
	if d.Fault {
		return 0
	}
	return max(0, int64(r.Rig.Instances)-d.Instances)
}

// prepare compiles the kernels of a test that has instances left to run.
func (r *Recording) prepare(ctx context.Context, t *sim.Test, p *harness.Plan) error {
	record, err := r.Rig.NewRecord(t, p, r.Muster)
	if err != nil || r.left(record) == 0 {
		return err
	}
	return r.Rig.Prepare(ctx, p)
}

// run makes the instances of a test that the file does not have.
func (r *Recording) run(ctx context.Context, p prepared) error {
	r.here.Next, r.spent = p.number, 0
	for there := true; ; there = false {
		record, err := r.Rig.NewRecord(p.test, p.plan, r.Muster)
		if err != nil {
			return err
		}
		left := r.left(record)
		if left == 0 || r.Rig.TestTime > 0 && r.spent >= r.Rig.TestTime {
			if there {
				r.There++
			}
			r.here.Next++
			return r.doing(nil)
		}
		d := r.done[record.Run()]
		part := harness.Part{Number: uint64(d.Parts), Instances: int(left), Time: cmp.Or(r.PartTime, DefaultPartTime)}
		if r.Rig.TestTime > 0 {
			part.Time = min(part.Time, r.Rig.TestTime-r.spent)
		}
		if err := r.part(ctx, p.test, p.plan, record, part); err != nil {
			return err
		}
	}
}

// part runs a part of a test and appends its record. It tells the parent what runs, and what broke
// the GPU.
func (r *Recording) part(
	ctx context.Context, t *sim.Test, p *harness.Plan, record *observe.Record, part harness.Part,
) error {
	r.Running(r.Recorded, t.Name.Text)
	record.Optcheck, _ = r.Rig.Found(p) // a fault is recorded with it, too
	if err := r.doing(record); err != nil {
		return &rig.NotRecordedError{Err: err}
	}
	hist, err := r.Rig.Observe(ctx, t, p, record, part)
	if (cuda.Breaks(err) || harness.IsLate(err)) && ctx.Err() == nil {
		return errors.Join(err, r.fault(record, err))
	}
	if err := r.doing(nil); err != nil {
		return &rig.NotRecordedError{Err: err}
	}
	if err != nil {
		return err
	}
	if record.Optcheck.Verdict == observe.Failed {
		fmt.Fprintf(r.Notes, "%s: void: %s\n", t.Name.Text, record.Optcheck.Why)
	}
	TellUnfinished(r.Notes, t, hist)
	if err := r.to.Write(record); err != nil {
		return &rig.NotRecordedError{Err: err}
	}
	r.Recorded++
	r.spent += hist.Elapsed
	run := record.Run()
	d := r.done[run]
	r.done[run] = observe.Done{Instances: d.Instances + record.Instances, Parts: d.Parts + 1}
	return nil
}

// fault records that a run broke the GPU. If there is a parent, the parent records it.
func (r *Recording) fault(record *observe.Record, err error) error {
	record.Fault, record.Instances = err.Error(), 0
	if r.parent != nil {
		r.blamed = true
		return r.doing(record)
	}
	if err := r.to.Write(record); err != nil {
		return &rig.NotRecordedError{Err: err}
	}
	r.Recorded, r.Faults = r.Recorded+1, r.Faults+1
	return nil
}

// sizeOf returns the size of a file, or 0 on an error.
func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Tell prints facts about a run that its log does not have: in how many launches the condition's
// outcome came, how often per second out of how many instances per second, and how many instances
// have no final state.
func Tell(to io.Writer, t *sim.Test, hist *harness.Histogram) {
	TellUnfinished(to, t, hist)
	prop, instances, launches, states := t.Program.Normalize(t.Cond.Prop), 0, 0, 0
	for _, c := range hist.States {
		if prop.Eval(c.State.Lookup(hist.Refs)) {
			instances, launches, states = instances+c.N, max(launches, c.Launches), states+1
		}
	}
	if states == 0 {
		return
	}
	least := map[bool]string{true: "at least "}[states > 1]
	rate := func(n int) float64 { return float64(n) / hist.Elapsed.Seconds() }
	fmt.Fprintf(to,
		"%s: the outcome asked for came in %d of %d instances, in %s%d of %d launches: %.2g a second of %.2g\n",
		t.Name.Text, instances, hist.Instances, least, launches, hist.Launches, rate(instances), rate(hist.Instances))
}

// TellUnfinished prints how many instances have no final state.
func TellUnfinished(to io.Writer, t *sim.Test, hist *harness.Histogram) {
	if hist.Unfinished > 0 {
		fmt.Fprintf(to, "%s: %d of %d instances gave a loop up and are not counted\n", t.Name.Text,
			hist.Unfinished, hist.Instances)
	}
}

// mostFaults bounds the consecutive runs that may break the GPU before any run was recorded: beyond
// it, the tests are not the cause. After a recorded run the bound is higher, because several tests
// of one kind may break the GPU in turn.
const mostFaults, mostFaultsLater = 5, 40

// longest returns the time that a part of a run may take, given the time limit of a kernel. The
// driver's compiler and optcheck need additional time.
func longest(kernel time.Duration) time.Duration { return 4*kernel + 30*time.Second }

// Supervise records in a child process. It starts another child after a test that broke the GPU or
// hung in the driver; that test is recorded as a fault, so that it is not run again. Each child
// reads standard input from its beginning. Supervise returns the number of faults and the exit
// status of the last child.
func Supervise(
	ctx context.Context, in io.Reader, file string, limit time.Duration, notes io.Writer,
) (faults, status int, err error) {
	stdin, err := supervise.Keep(in)
	if err != nil {
		return 0, 0, err
	}
	defer stdin.Close()
	to, err := observe.Append(file)
	if err != nil {
		return 0, 0, err
	}
	defer to.Close()
	s := &supervisor{to: to, file: file, notes: notes, most: mostFaults, size: sizeOf(file)}
	far, status, err := supervise.Run(ctx, stdin, nil, longest(limit), s.broken)
	p, bad := progressIn(far)
	if len(far) > 0 { // some process has begun
		p.tell(notes, file)
	}
	return p.Faults, status, cmp.Or(err, bad)
}

// progressIn decodes the progress that a process reported, or returns the zero progress if it
// reported nothing.
func progressIn(far json.RawMessage) (p progress, err error) {
	if len(far) > 0 {
		err = json.Unmarshal(far, &p)
	}
	return p, err
}

// supervisor records the tests that break child processes.
type supervisor struct {
	to        *observe.Recorder
	file      string
	notes     io.Writer
	row, most int   // consecutive faults, and the number that ends the campaign
	size      int64 // size of the file after the last fault
}

// broken returns the progress from which the next child continues after one broke down. The cause
// may have been the preparation of other tests. If the child did not blame the running test, all
// tests that may have been prepared are repeated one at a time, and a test that breaks down then is
// to blame.
func (s *supervisor) broken(b supervise.Broken) (any, error) {
	p, err := progressIn(b.Far)
	if err != nil {
		return p, err
	}
	how := b.How
	if how == nil {
		how = errors.New("it could not go on")
	}
	record := &observe.Record{Test: "between two tests"}
	if b.Doing != nil {
		if err := json.Unmarshal(b.Doing, record); err != nil {
			return p, err
		}
	}
	switch alone := p.Next < p.Alone; {
	case record.Fault == "" && !alone:
		fmt.Fprintf(s.notes, "%s: once more: the process ended: %v\n", record.Test, how)
		p.Alone = p.Next + p.Ahead + 1
		return p, nil
	case b.Doing == nil:
		return p, fmt.Errorf("%s, the process ended: %w", record.Test, how)
	case record.Fault == "":
		record.Fault = fmt.Sprintf("the process ended: %v", how)
	}
	if err := s.record(record); err != nil {
		return p, err
	}
	p.Recorded, p.Faults, p.Next = p.Recorded+1, p.Faults+1, p.Next+1
	if s.row == s.most {
		return p, fmt.Errorf("%d runs in a row have broken the GPU: it is hardly the tests", s.row)
	}
	return p, nil
}

// record appends the record of a fault.
func (s *supervisor) record(record *observe.Record) error {
	record.Time, record.Instances = time.Now().UTC().Truncate(time.Millisecond), 0
	if sizeOf(s.file) > s.size { // a child has recorded something since
		s.row, s.most = 0, mostFaultsLater
	}
	if err := s.to.Write(record); err != nil {
		return err
	}
	s.row, s.size = s.row+1, sizeOf(s.file)
	fmt.Fprintf(s.notes, "%s: recorded as a fault: %s\n", record.Test, record.Fault)
	return nil
}

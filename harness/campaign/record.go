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
	"github.com/muster-gpu/muster/internal/afresh"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

// Recording appends what was seen to a file of records. A run that the file has is not made again.
type Recording struct {
	Rig    *rig.Rig
	File   string
	Muster string    // the version that records
	Notes  io.Writer // for what people should know
	// Running is told how many runs were recorded, and which test runs next.
	Running func(recorded int, test string)

	// PartTime is how long the launches of a record take, at most: a run that takes longer is recorded in parts, so that
	// what ends it takes no more than the last. 0 is DefaultPartTime.
	PartTime time.Duration

	Recorded, There int // records that were written, and runs that the file had already

	to     *observe.Recorder
	parent *afresh.Child // nil if there is none
	done   map[string]observe.Done
}

// DefaultPartTime is long beside what it takes to write a record.
const DefaultPartTime = 10 * time.Second

// Run records tests.
func (r *Recording) Run(ctx context.Context, tests Tests) error {
	to, err := observe.Append(r.File) // an endless file, as a device may be, is refused before it is read
	if err != nil {
		return err
	}
	defer to.Close()
	r.done, err = observe.ReadDone(r.File, r.Rig.Checks(), func(err error) { fmt.Fprintln(r.Notes, err) })
	if err != nil {
		return err
	}
	r.to, r.parent = to, afresh.Aboard()
	if r.parent.Attempt() < 2 { // what has broken a process is to be the test that it was at
		tests.Ahead, tests.Prepare = r.Rig.Ahead(), r.prepare
	} else if err := r.Rig.Try(ctx); err != nil {
		return fmt.Errorf("after what was recorded as a fault the GPU runs not even an empty kernel: %w", err)
	}
	err = tests.Each(ctx, func(t *sim.Test, p *harness.Plan) error { return r.run(ctx, t, p) })
	if r.parent != nil && cuda.Breaks(err) {
		r.Rig.Abandon()
		return nil // the parent knows, and says it
	}
	return err
}

// left is how many instances of a run are still to be made.
func (r *Recording) left(record *observe.Record) int64 {
	d := r.done[record.Run()]
	if d.Fault {
		return 0
	}
	return max(0, int64(r.Rig.Instances)-d.Instances)
}

// prepare has the kernels of a test compiled that is still to be run.
func (r *Recording) prepare(ctx context.Context, t *sim.Test, p *harness.Plan) error {
	record, err := r.Rig.NewRecord(t, p, r.Muster)
	if err != nil || r.left(record) == 0 {
		return err
	}
	return r.Rig.Prepare(ctx, p)
}

// run makes what the file does not have of a run.
func (r *Recording) run(ctx context.Context, t *sim.Test, p *harness.Plan) error {
	for there := true; ; there = false {
		record, err := r.Rig.NewRecord(t, p, r.Muster)
		if err != nil {
			return err
		}
		left := r.left(record)
		if left == 0 {
			if there {
				r.There++
			}
			return r.parent.Doing(nil)
		}
		d := r.done[record.Run()]
		part := harness.Part{Number: uint64(d.Parts), Instances: int(left), Time: cmp.Or(r.PartTime, DefaultPartTime)}
		if err := r.part(ctx, t, p, record, part); err != nil {
			return err
		}
	}
}

// part runs a part of a test and appends its record. The parent is told what runs, and of what has broken the GPU.
func (r *Recording) part(ctx context.Context, t *sim.Test, p *harness.Plan, record *observe.Record, part harness.Part) error {
	r.Running(r.Recorded, t.Name.Text)
	if err := r.parent.Doing(record); err != nil {
		return &NotRecordedError{err}
	}
	hist, err := r.Rig.Observe(ctx, t, p, record, part)
	if cuda.Breaks(err) && ctx.Err() == nil {
		return errors.Join(err, r.fault(record, err))
	}
	if err := r.parent.Doing(nil); err != nil {
		return &NotRecordedError{err}
	}
	if err != nil {
		return err
	}
	if record.Optcheck.Verdict == observe.Failed {
		fmt.Fprintf(r.Notes, "%s: void: %s\n", t.Name.Text, record.Optcheck.Why)
	}
	TellUnfinished(r.Notes, t, hist)
	if err := r.to.Write(record); err != nil {
		return &NotRecordedError{err}
	}
	r.Recorded++
	run := record.Run()
	d := r.done[run]
	r.done[run] = observe.Done{Instances: d.Instances + record.Instances, Parts: d.Parts + 1}
	return nil
}

// fault records that a run has broken the GPU, or has the parent do so.
func (r *Recording) fault(record *observe.Record, err error) error {
	record.Fault, record.Instances = err.Error(), 0
	if r.parent != nil {
		return r.parent.Doing(record)
	}
	return r.to.Write(record)
}

// sizeOf is the size of a file, 0 if it cannot be asked.
func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Tell says of a run what its log does not: in how many launches the condition's outcome came, how often a second of how many
// instances, and how many instances have no final state.
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
	fmt.Fprintf(to, "%s: the outcome asked for came in %d of %d instances, in %s%d of %d launches: %.2g a second of %.2g\n",
		t.Name.Text, instances, hist.Instances, least, launches, hist.Launches, rate(instances), rate(hist.Instances))
}

// TellUnfinished says how many instances have no final state.
func TellUnfinished(to io.Writer, t *sim.Test, hist *harness.Histogram) {
	if hist.Unfinished > 0 {
		fmt.Fprintf(to, "%s: %d of %d instances gave a loop up and are not counted\n", t.Name.Text, hist.Unfinished, hist.Instances)
	}
}

// mostFaults is how many runs in a row may break the GPU before any was recorded: then it is not the tests. Behind one that was, some tests of one kind
// may do so, one after the other.
const mostFaults, mostFaultsLater = 5, 40

// longest is how long a part of a run is given, if a kernel is given some time: the driver's compiler and optcheck take their time, too.
func longest(kernel time.Duration) time.Duration { return 4*kernel + 30*time.Second }

// Supervise has a child process record, and another one go on after a test that has broken the GPU, or of which the
// driver does not come back. Such a test is
// recorded with what happened, so that it is not run again. It returns how many there were, and the exit status of the last child.
func Supervise(ctx context.Context, stdin io.ReadSeeker, file string, limit time.Duration, notes io.Writer) (faults, status int, err error) {
	to, err := observe.Append(file)
	if err != nil {
		return 0, 0, err
	}
	defer to.Close()
	row, most, size := 0, mostFaults, sizeOf(file)
	status, err = afresh.Run(ctx, stdin, longest(limit), func(doing json.RawMessage, how error, attempt int) error {
		record := &observe.Record{}
		if err := json.Unmarshal(doing, record); err != nil {
			return err
		}
		if record.Fault == "" && attempt == 1 { // it may have been what prepares the tests behind this one; the next process does one thing at a time
			fmt.Fprintf(notes, "%s: once more: the process ended: %v\n", record.Test, how)
			return nil
		}
		if record.Fault == "" {
			record.Fault = fmt.Sprintf("the process ended: %v", how)
		}
		record.Time, record.Instances = time.Now().UTC().Truncate(time.Millisecond), 0
		if sizeOf(file) > size { // it has recorded something before
			row, most = 0, mostFaultsLater
		}
		if err := to.Write(record); err != nil {
			return err
		}
		faults, row, size = faults+1, row+1, sizeOf(file)
		fmt.Fprintf(notes, "%s: recorded as a fault: %s\n", record.Test, record.Fault)
		if row == most {
			return fmt.Errorf("%d runs in a row have broken the GPU: it is hardly the tests", row)
		}
		return nil
	})
	return faults, status, err
}

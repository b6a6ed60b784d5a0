// Package figure draws an alarm about a race. Two threads are columns in time; barriers that both
// reach are horizontal rules, accesses between them are boxes, and a line joins the two racing
// accesses. The cells of the array are below.
//
//	Figure  the contents of a drawing, from a launch of the alarm (New)
//	Scene   the figure as a picture
//	Text    the figure as lines of text
//
// Accesses of two threads between the same two barriers are unordered, so the height of a box is
// meaningful within its own column only.
package figure

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// Figure is what two threads do between the barriers around their race.
type Figure struct {
	title, subtitle string
	threads         [2]string
	intervals       []interval // in time, usually one
	end             string     // rule below the last interval; "" if the launch ends before
	race            [2]*access
	array           string
	cells           []cell
}

// interval is the time between two barriers that both threads reach.
type interval struct {
	begin   string // rule above it
	columns [2][]box
}

// box is an event of a thread.
type box struct {
	what, where string
	access      *access // nil for a fence, for a barrier that the other thread does not reach, and for omitted events
}

// access is an access of a thread to a cell.
type access struct {
	*launch.Access
	thread int // column: 0 or 1
	races  bool
}

// source is the kernel of a launch and the element sizes of its arrays.
type source struct {
	*verify.Result
	unit map[*launch.Object]int64 // element size in bytes
}

// New returns the figure of a race: a launch shows what its threads do. It fails if no launch shows
// the race.
func New(ctx context.Context, r *verify.Result, a *verify.Alarm) (*Figure, error) {
	if a.Kind != verify.Race {
		return nil, fmt.Errorf("%s: %s is no race, and only races are drawn; verify says in words what is wrong",
			r.Module.Name, a.Kind)
	}
	again, err := replay.Run(ctx, r, a)
	switch {
	case err != nil:
		return nil, err
	case !again.Shown():
		return nil, fmt.Errorf("%s: there is nothing to draw, for no launch shows the race: %s", r.Module.Name,
			again.Why)
	}
	report, race := again.Report, *again.Race
	l := again.Launch
	l.Watch = nil // run past the race
	whole, err := launch.New(r.Module).Run(ctx, l)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ends := false
	if found, ok := same(whole, race); ok {
		report, race, ends = whole, found, err == nil
	}
	return Of(r, report, race, ends), nil
}

// same returns the same race in another launch: by threads, instructions and location.
func same(r *launch.Report, race launch.Race) (launch.Race, bool) {
	like := func(a, b *launch.Access) bool {
		return a.Thread == b.Thread && a.Instr == b.Instr && a.Object.Name == b.Object.Name &&
			a.Object.Block == b.Object.Block && a.Offset == b.Offset
	}
	var first, second []*launch.Access
	for i := range r.Accesses {
		if a := &r.Accesses[i]; like(a, race.First) {
			first = append(first, a)
		} else if like(a, race.Second) {
			second = append(second, a)
		}
	}
	for _, a := range first {
		for _, b := range second {
			if launch.Racing(a, b) {
				return launch.Race{First: a, Second: b}, true
			}
		}
	}
	return launch.Race{}, false
}

// Of returns the figure of a race in a launch of a result's kernel. ends tells that the launch ran
// to its end.
func Of(r *verify.Result, report *launch.Report, race launch.Race, ends bool) *Figure {
	pair := [2]*launch.Access{race.First, race.Second}
	if pair[1].Thread < pair[0].Thread {
		pair[0], pair[1] = pair[1], pair[0]
	}
	f := &Figure{
		title: "Data race in " + r.Kernel.Name,
		subtitle: fmt.Sprintf("%s, grid %s, block %s", filepath.Base(r.File()), size(report.Launch.Grid),
			size(report.Launch.Block)),
		array: kernel.OwnName(pair[0].Object.Name),
	}
	t := timeline{Report: report, pair: pair}
	for i, a := range pair {
		f.threads[i] = fmt.Sprintf("thread %v", report.Launch.Block.At(a.Thread%report.Launch.Block.Count()))
		if pair[0].Block != pair[1].Block {
			f.threads[i] += fmt.Sprintf(" of block %v", report.Launch.Grid.At(a.Block))
		}
		t.events[i] = events(report, a.Thread)
	}
	f.take(&source{Result: r}, t.between(), ends)
	return f
}

// size returns an extent in the format of flags.
func size(d launch.Dim) string { return verify.Dim{d.X, max(1, d.Y), max(1, d.Z)}.String() }

// take makes boxes from the events between the barriers.
func (f *Figure) take(s *source, found span, ends bool) {
	s.measure(found)
	for _, between := range found.intervals {
		in := interval{begin: s.rule(between.opens, "start of the kernel")}
		for i, thread := range between.events {
			for _, e := range around(thread, found.pair[i]) {
				b := s.box(e, i)
				if b.access != nil && e.access == found.pair[i] {
					b.access.races = true
					f.race[i] = b.access
				}
				in.columns[i] = append(in.columns[i], b)
			}
		}
		f.intervals = append(f.intervals, in)
	}
	switch {
	case found.closes != nil:
		f.end = s.rule(found.closes, "")
	case ends:
		f.end = "end of the kernel"
	}
	f.cells = cellsOf(f, s.unit[found.pair[0].Object])
}

// measure sets the element size of each array to the size of its smallest access.
func (s *source) measure(found span) {
	s.unit = map[*launch.Object]int64{}
	for _, in := range found.intervals {
		for _, thread := range in.events {
			for _, e := range thread {
				if a := e.access; a != nil && (s.unit[a.Object] == 0 || int64(a.Bytes) < s.unit[a.Object]) {
					s.unit[a.Object] = int64(a.Bytes)
				}
			}
		}
	}
}

// box returns the box of an event, with its position in the source.
func (s *source) box(e event, thread int) box {
	switch {
	case e.access != nil:
		a := e.access
		return box{
			does(a) + " " + s.element(a), a.Instr.Opcode + "  " + s.place(a.Instr),
			&access{Access: a, thread: thread},
		}
	case e.sync != nil:
		return box{what: e.sync.Instr.Opcode, where: s.place(e.sync.Instr)}
	}
	return box{what: fmt.Sprintf("… %d more", e.omitted)}
}

// does returns an access's kind as a verb.
func does(a *launch.Access) string {
	switch {
	case a.Reads && a.Writes:
		return "update"
	case a.Writes:
		return "write"
	}
	return "read"
}

// element returns the array elements that an access touches, as text.
func (s *source) element(a *launch.Access) string {
	from, to := cellsOfAccess(a, s.unit[a.Object])
	name := kernel.OwnName(a.Object.Name)
	if from == to {
		return fmt.Sprintf("%s[%d]", name, from)
	}
	return fmt.Sprintf("%s[%d…%d]", name, from, to)
}

// rule returns the label of a barrier, or otherwise if at is nil.
func (s *source) rule(at *launch.Sync, otherwise string) string {
	if at == nil {
		return otherwise
	}
	return at.Instr.Opcode + "  " + s.place(at.Instr)
}

// place returns the source position of an instruction, without folders.
func (s *source) place(in *kernel.Instr) string {
	if all := s.Place(in); len(all) > 0 {
		return filepath.Base(all[0])
	}
	return fmt.Sprintf("%s:%d", filepath.Base(s.File()), in.At.Pos().Line)
}

// address returns the first byte that both racing accesses touch, as text.
func (f *Figure) address() string {
	return fmt.Sprintf("%s + %d", f.array, max(f.race[0].Offset, f.race[1].Offset))
}

// waits reports whether a thread waits at a barrier, so that what others did before the barrier is
// ordered before what the thread does after it.
func waits(s *launch.Sync) bool { return s.Meeting > 0 && s.Op.Meeting != isa.Arrive }

// mostBoxes bounds the boxes of a thread in an interval: those around its racing access.
const mostBoxes = 9

// around returns the events of an interval around the racing one, and events that count the omitted
// ones.
func around(all []event, race *launch.Access) []event {
	if len(all) <= mostBoxes {
		return all
	}
	at := max(0, slices.IndexFunc(all, func(e event) bool { return e.access == race }))
	from := min(max(0, at-mostBoxes/2), len(all)-mostBoxes)
	to := from + mostBoxes
	some := slices.Clone(all[from:to])
	if from > 0 {
		some = slices.Insert(some, 0, event{omitted: from})
	}
	if to < len(all) {
		some = append(some, event{omitted: len(all) - to})
	}
	return some
}

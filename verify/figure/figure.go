// Package figure draws an alarm about a race: two threads as columns in time, the barriers that
// both come to as rules across them, the accesses between these as boxes, the two that race joined
// by a line, and below them the cells of the array.
//
//	Figure  what there is to draw, found by a launch of the alarm (New)
//	Scene   the figure as a picture
//	Text    the figure as lines of text
//
// Accesses of two threads between the same two barriers have no order, so the height of a box says
// only what comes before and after it in its own thread.
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

// Figure is what two threads do between the barriers around a race of theirs.
type Figure struct {
	title, subtitle string
	threads         [2]string
	intervals       []interval // in time, mostly one
	end             string     // the rule below the last interval; "" if the launch does not get there
	race            [2]*access
	array           string
	cells           []cell
}

// interval is what is between two barriers that both threads come to.
type interval struct {
	begin   string // the rule above it
	columns [2][]box
}

// box is something that a thread does.
type box struct {
	what, where string
	access      *access // nil of a fence, of a barrier that the other thread does not come to, and of what is left out
}

// access is a thread at a cell.
type access struct {
	*launch.Access
	thread int // 0 or 1
	races  bool
}

// source is the kernel that a launch is about, with what is known of its arrays.
type source struct {
	*verify.Result
	unit map[*launch.Object]int64 // bytes of an element
}

// New draws a race of a result: a launch shows what its threads do, and two of its accesses race.
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
	l.Watch = nil // to see what is behind the race
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

// same returns a race of another launch: by the same threads, at the same instructions and place.
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

// Of draws a race that a launch of the kernel of a result has shown. ends says that the launch went
// on to its end.
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

// size returns an extent as flags have it.
func size(d launch.Dim) string { return verify.Dim{d.X, max(1, d.Y), max(1, d.Z)}.String() }

// take makes boxes of what was found between the barriers.
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

// measure finds what an element of each array is: the smallest access of it.
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

// box returns an event with its place in the source.
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

// does returns what an access does.
func does(a *launch.Access) string {
	switch {
	case a.Reads && a.Writes:
		return "update"
	case a.Writes:
		return "write"
	}
	return "read"
}

// element returns what an access touches, as an element of an array or some.
func (s *source) element(a *launch.Access) string {
	from, to := cellsOfAccess(a, s.unit[a.Object])
	name := kernel.OwnName(a.Object.Name)
	if from == to {
		return fmt.Sprintf("%s[%d]", name, from)
	}
	return fmt.Sprintf("%s[%d…%d]", name, from, to)
}

// rule returns a barrier as a rule, or what else is there.
func (s *source) rule(at *launch.Sync, otherwise string) string {
	if at == nil {
		return otherwise
	}
	return at.Instr.Opcode + "  " + s.place(at.Instr)
}

// place returns where an instruction comes from, without folders.
func (s *source) place(in *kernel.Instr) string {
	if all := s.Place(in); len(all) > 0 {
		return filepath.Base(all[0])
	}
	return fmt.Sprintf("%s:%d", filepath.Base(s.File()), in.At.Pos().Line)
}

// address returns the first byte that both accesses of the race touch.
func (f *Figure) address() string {
	return fmt.Sprintf("%s + %d", f.array, max(f.race[0].Offset, f.race[1].Offset))
}

// waits reports a barrier at which a thread waits, so that what others did before it is ordered
// before what it does next.
func waits(s *launch.Sync) bool { return s.Meeting > 0 && s.Op.Meeting != isa.Arrive }

// mostBoxes are so many of a thread in an interval: those around the access that races.
const mostBoxes = 9

// around returns the events of an interval around the one of a race, with a note of what is left
// out.
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

package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// Replay is a launch that shows an alarm, or the reason why none was found.
type Replay struct {
	Launch launch.Launch
	Report *launch.Report
	Race   *launch.Race // the two accesses of an alarm about a race
	Orders []uint64     // the outcome of a race in either order of its threads: see decide
	Fails  string       // the error of an alarm about an assertion, if the assertion is not an annotation
	// Failure is the assertion that fails, unless Fails describes the error.
	Failure *launch.Failure
	Stuck   *stuck // of an alarm about a divergence: the waiting thread
	Why     string // why the alarm was not shown; "" if it was
	hinges  string // Alarm.Hinges
	of      *verify.Result
	start   verify.Start
}

// Shown reports whether the launch shows the alarm.
func (r *Replay) Shown() bool { return r.Why == "" }

// saidOf returns the message of an error of a launch, in one line.
func (r *Replay) saidOf(err error, report *launch.Report) string {
	var at *src.Diagnostic
	if r.of.Module.Compiled != "" && report != nil && report.Failed != nil &&
		errors.As(err, &at) { // the user has no text of the module
		return r.at(report.Failed) + ": " + at.Message
	}
	return strings.SplitN(err.Error(), "\n", 2)[0]
}

// mostThreads bounds the threads of a replay. On average, each runs a few hundred instructions.
const (
	mostThreads = 4096
	fewSteps    = 200
	leastSteps  = 50_000
)

// Run launches the blocks of the threads of an alarm, with its arguments and with memory that holds
// the values which they read. It tries some schedules.
func Run(ctx context.Context, r *verify.Result, a *verify.Alarm) (*Replay, error) {
	l, threads := launchOf(r, a)
	n := l.Block.Count() * len(l.Blocks)
	switch {
	case !r.Kernel.Entry:
		return &Replay{Why: "a function on its own is not launched"}, nil
	case a.Contract:
		return &Replay{Why: "what a contract says is not looked at in a launch"}, nil
	case n > mostThreads:
		return &Replay{Why: fmt.Sprintf("it takes %d threads: more than %d are not run", n, mostThreads)}, nil
	}
	start, err := r.Start(ctx, a)
	if err != nil {
		return &Replay{Why: err.Error()}, context.Cause(ctx)
	}
	l.MaxSteps = leastSteps + fewSteps*n
	l.Args, l.Contents, l.Returns = arguments(r.Kernel, a), contents(start, false), returns(a, threads)
	replay, program := &Replay{hinges: a.Hinges, of: r, start: start}, launch.New(r.Module)
	for _, s := range schedules(l, a, threads) {
		l.Schedule, l.Watch = s, watch(l, a, threads)
		report, err := program.Run(ctx, l)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var large *launch.MemoryError
		switch {
		case errors.As(err, &large):
			replay.Why = replay.saidOf(large, report)
			return replay, nil
		case report == nil:
			return nil, err
		}
		replay.Launch, replay.Report = l, report
		if replay.Why = replay.look(a, threads); replay.Why == "" {
			break
		}
		if err == nil {
			continue
		}
		said := replay.saidOf(err, report)
		var refused *launch.Refusal
		if a.Kind == verify.Assertion && report.Failed == a.Points[0].Instr && !errors.As(err, &refused) {
			replay.Fails, replay.Why = said, "" // such as an access through a null pointer
			break
		}
		replay.Why = "the launch fails: " + said
		if a.Kind != verify.Race {
			break // the schedule hardly matters
		}
	}
	if replay.Race == nil {
		return replay, nil
	}
	return replay, replay.decide(ctx, program, a)
}

// launchOf returns a launch of the blocks of an alarm's threads, and the numbers of these threads.
func launchOf(r *verify.Result, a *verify.Alarm) (l launch.Launch, threads []int) {
	l = launch.Launch{Kernel: r.Kernel.Name, Grid: dim(a.Launch.Grid), Block: dim(a.Launch.Block), Unbounded: true}
	l.BarriersOnly, l.SameValue, l.Lockstep, l.Unannotated = r.Config.BarriersOnly, r.Config.SameValue,
		r.Config.Lockstep, r.Config.Annotations == verify.NoAnnotations
	for _, p := range a.Points {
		block := l.Grid.Index(place(p.Block))
		threads = append(threads, block*l.Block.Count()+l.Block.Index(place(p.Thread)))
		if !slices.Contains(l.Blocks, block) {
			l.Blocks = append(l.Blocks, block)
		}
	}
	return l, threads
}

// decide launches a race in both orders of its threads and records the outcomes: the value read, if
// one access only reads, else the final value in memory. Where the alarm has 0, which often stands
// for any number, memory holds distinct numbers, provided the race still occurs.
func (r *Replay) decide(ctx context.Context, program *launch.Program, a *verify.Alarm) error {
	first, second := r.Race.First, r.Race.Second
	l := r.Launch
	l.Contents = contents(r.start, true)
	l.Watch = watch(l, a, []int{first.Thread, second.Thread})
	varied := &Replay{Launch: l}
	if varied.Report, _ = program.Run(ctx, l); varied.Report.Excluded == nil &&
		varied.race(a, []int{first.Thread, second.Thread}) != nil {
		r.Launch = l
	}
	l = r.Launch
	for _, order := range [][]int{{first.Thread, second.Thread}, {second.Thread, first.Thread}} {
		l.Schedule, l.Watch = launch.InOrder(order...), both(r.Race)
		report, _ := program.Run(ctx, l) // errors on the way do not matter here
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if v, ok := decided(report, r.Race); ok {
			r.Orders = append(r.Orders, v)
		}
	}
	return nil
}

// both returns a Watch that ends a launch when both accesses of a race have occurred.
func both(race *launch.Race) func(*launch.Access) bool {
	var come [2]bool
	return func(a *launch.Access) bool {
		for i, of := range []*launch.Access{race.First, race.Second} {
			come[i] = come[i] ||
				a.Thread == of.Thread && a.Instr == of.Instr && a.Object.Name == of.Object.Name && a.Offset == of.Offset
		}
		return come[0] && come[1]
	}
}

// decided returns the outcome of a race in a launch.
func decided(report *launch.Report, race *launch.Race) (v uint64, ok bool) {
	reader, writer := race.First, race.Second
	if reader.Writes {
		reader, writer = writer, reader
	}
	for i := range report.Accesses {
		a := &report.Accesses[i]
		if a.Object.Name != reader.Object.Name || a.Object.Block != reader.Object.Block || a.Offset != reader.Offset {
			continue
		}
		switch {
		case !reader.Writes && a.Thread == reader.Thread && a.Instr == reader.Instr:
			return a.Value, true
		case reader.Writes &&
			(a.Thread == reader.Thread && a.Instr == reader.Instr ||
				a.Thread == writer.Thread && a.Instr == writer.Instr):
			v, ok = written(a), true
		}
	}
	return v, ok
}

func dim(d verify.Dim) launch.Dim { return launch.Dim{X: d[0], Y: d[1], Z: d[2]} }

func place(p [3]uint64) launch.Dim { return launch.Dim{X: int(p[0]), Y: int(p[1]), Z: int(p[2])} }

// schedules returns schedules to try: the threads of the alarm interleaved, one after the other,
// and all threads in turn. A divergence may need a warp that runs ahead of all others.
func schedules(l launch.Launch, a *verify.Alarm, threads []int) []launch.Schedule {
	back := slices.Clone(threads)
	slices.Reverse(back)
	all := []launch.Schedule{
		launch.Together(threads...), launch.InOrder(threads...), launch.InOrder(back...),
		launch.RoundRobin(),
	}
	if a.Kind == verify.Divergence {
		n := l.Block.Count()
		for _, t := range threads {
			var warp []int
			for first := t / n * n; len(warp) < warpSize && len(warp) < n; {
				warp = append(warp, first+(t-first)/warpSize*warpSize+len(warp))
			}
			all = append(all, launch.InOrder(warp...))
		}
	}
	return all
}

// warpSize is the number of threads in a warp.
const warpSize = 32

// look looks for the alarm in the report. It returns why the report does not show it, or "".
func (r *Replay) look(a *verify.Alarm, threads []int) string {
	at := a.Points[0].Instr
	switch {
	case r.Report.Excluded != nil:
		return "a precondition does not hold in the launch"
	case a.Kind == verify.Divergence:
		r.Stuck = r.stuck(a, threads)
		switch {
		case len(r.Report.Divergences) == 0:
			return "all threads come to the same barriers in the launch"
		case r.Stuck == nil:
			d := r.Report.Divergences[0]
			return fmt.Sprintf("the launch does not come so far: thread %v waits at %s for others that do not come",
				r.thread(d.Thread), r.at(d.At))
		}
	case a.Kind == verify.Assertion:
		r.Failure = failure(r.Report, at, threads[0])
		if r.Fails = r.outside(at); r.Fails == "" && r.Failure == nil {
			return "the assertion holds in the launch"
		}
	default:
		if r.Race = r.race(a, threads); r.Race == nil {
			return "the two accesses do not meet in the launch: what the threads read comes about in another way, or " +
				"not at all"
		}
	}
	return ""
}

// failure returns the failure of an assertion at an instruction, that of the given thread if there
// are several, or nil.
func failure(report *launch.Report, at *kernel.Instr, thread int) (found *launch.Failure) {
	for i := range report.Failures {
		if f := &report.Failures[i]; f.At == at && (found == nil || f.Thread == thread && found.Thread != thread) {
			found = f
		}
	}
	return found
}

// outside describes an access of an instruction that is outside its variable, or returns "".
func (r *Replay) outside(at *kernel.Instr) string {
	for _, a := range r.Report.Accesses {
		v := a.Object.Variable
		if a.Instr == at && v != nil && v.Size() > 0 && (a.Offset < 0 || a.Offset+int64(a.Bytes) > int64(v.Size())) {
			return fmt.Sprintf("%d bytes at byte %d of %s, which has %d", a.Bytes, a.Offset, a.Object.Name, v.Size())
		}
	}
	return ""
}

// watch returns a Watch that ends a launch when the two accesses of a race have occurred.
func watch(l launch.Launch, a *verify.Alarm, threads []int) func(*launch.Access) bool {
	if a.Kind != verify.Race {
		return nil
	}
	type place struct {
		object *launch.Object
		offset int64
	}
	last := [2]map[place]launch.Access{{}, {}} // last access of each side to each byte: see launch.Racing
	return func(access *launch.Access) (enough bool) {
		for i, p := range a.Points {
			if access.Thread != threads[i] || access.Instr != p.Instr {
				continue
			}
			for k := range access.Bytes {
				at := place{access.Object, access.Offset + int64(k)}
				last[i][at] = *access
				if other, ok := last[1-i][at]; ok && l.Racing(access, &other) {
					enough = true
				}
			}
		}
		return enough
	}
}

// meet reports whether two accesses have a byte in common and race.
func (r *Replay) meet(x, y *launch.Access) bool {
	return x.Object == y.Object && x.Offset < y.Offset+int64(y.Bytes) && y.Offset < x.Offset+int64(x.Bytes) &&
		r.Launch.Racing(x, y)
}

// race returns the two accesses of an alarm: of its threads, or else of other threads of the
// launch.
func (r *Replay) race(a *verify.Alarm, threads []int) *launch.Race {
	enough := watch(r.Launch, a, threads)
	for i := range r.Report.Accesses {
		second := &r.Report.Accesses[i]
		if !enough(second) {
			continue
		}
		for j := range slices.Backward(r.Report.Accesses[:i]) {
			first := &r.Report.Accesses[j]
			sides := [2]int{slices.Index(threads, first.Thread), slices.Index(threads, second.Thread)}
			if slices.Contains(sides[:], -1) || first.Instr != a.Points[sides[0]].Instr || !r.meet(first, second) {
				continue
			}
			return &launch.Race{First: first, Second: second}
		}
	}
	for i := range r.Report.Races {
		race := &r.Report.Races[i]
		is := [2]*kernel.Instr{race.First.Instr, race.Second.Instr}
		if is == [2]*kernel.Instr{a.Points[0].Instr, a.Points[1].Instr} ||
			is == [2]*kernel.Instr{a.Points[1].Instr, a.Points[0].Instr} {
			return race
		}
	}
	return nil
}

// arguments returns the arguments of an alarm: the numbers in its model, and a buffer for each
// pointer.
func arguments(f *kernel.Function, a *verify.Alarm) (args []launch.Arg) {
	for _, v := range f.Params {
		arg := launch.Arg{Bytes: make([]byte, v.Size())}
		for _, value := range a.Params {
			for i := range value.Size {
				if at := value.Offset + i; value.Name == v.Name && 0 <= at && at < len(arg.Bytes) {
					arg.Bytes[at] = byte(value.Bits >> (8 * i))
				}
			}
		}
		for name, at := range parts(a, v) {
			if arg.Pointers == nil {
				arg.Pointers = map[int]*launch.Buffer{}
			}
			arg.Pointers[at] = &launch.Buffer{Name: name}
		}
		switch space := points(f, a, v); space {
		case isa.Shared:
			arg = launch.Arg{Shared: 1}
		case isa.Global, isa.Const:
			arg = launch.Arg{Buffer: &launch.Buffer{Name: v.Name}}
		}
		args = append(args, arg)
	}
	return args
}

// parts returns the offsets of the pointers in a structure through which the threads of an alarm
// access memory, by name.
func parts(a *verify.Alarm, v *kernel.Variable) map[string]int {
	all := map[string]int{}
	add := func(array verify.Array) {
		offset, ok := strings.CutPrefix(array.Name, v.Name+"+")
		if at, err := strconv.Atoi(offset); ok && array.Param && err == nil {
			all[array.Name] = at
		}
	}
	for _, p := range a.Points {
		if p.Access != nil {
			add(p.Access.Array)
		}
	}
	for _, r := range a.Reads {
		add(r.Array)
	}
	return all
}

// returns returns a Launch.Returns with the alarm's results of functions without a body. All other
// calls return 0.
func returns(a *verify.Alarm, threads []int) func(int, *kernel.Instr, int) uint64 {
	type call struct {
		thread int
		instr  *kernel.Instr
	}
	all := map[call][]uint64{}
	for _, r := range a.Returns {
		c := call{threads[r.Of], r.Instr}
		all[c] = append(all[c], r.Bits)
	}
	return func(thread int, instr *kernel.Instr, n int) uint64 {
		if values := all[call{thread, instr}]; n < len(values) {
			return values[n]
		}
		return 0
	}
}

// points returns the space that a parameter points to, or isa.Generic if it is not a pointer. It is
// a pointer if an access of the alarm uses it, if its declaration says so, or if cvta converts it
// to an address.
func points(f *kernel.Function, a *verify.Alarm, v *kernel.Variable) isa.Space {
	spaceOf := func(in *kernel.Instr) isa.Space {
		if op, err := isa.Decode(in.Opcode); err == nil && op.Space != isa.Generic {
			return op.Space
		}
		return isa.Global
	}
	for _, p := range a.Points {
		if p.Access != nil && p.Access.Array.Param && p.Access.Array.Name == v.Name {
			return spaceOf(p.Instr)
		}
	}
	for _, r := range a.Reads {
		if r.Array.Param && r.Array.Name == v.Name {
			return spaceOf(r.Instr)
		}
	}
	switch {
	case v.Pointer && v.Points == isa.Shared:
		return isa.Shared
	case v.Pointer:
		return isa.Global
	}
	return used(f, v)
}

// used returns the space of accesses whose base address a 64-bit parameter reaches by instructions
// other than multiplications.
func used(f *kernel.Function, v *kernel.Variable) isa.Space {
	if v.Size() != 8 {
		return isa.Generic
	}
	// the registers that hold the parameter, and those that hold it plus an offset
	from, beyond := map[*kernel.Register]bool{}, map[*kernel.Register]bool{}
	for _, in := range f.Instrs {
		op, err := isa.Decode(in.Opcode)
		if err != nil || len(in.Ops) < 2 {
			continue
		}
		loaded := false
		if at := addressed(in, op); at != nil {
			each(at, func(r *kernel.Register) { loaded = loaded || from[r] || beyond[r] })
			if loaded {
				return isa.Global
			}
		}
		each(&in.Ops[1], func(r *kernel.Register) { loaded = loaded || from[r] })
		for _, o := range in.Ops[1].List {
			loaded = loaded || op.Code == isa.Ld && op.Space == isa.Param && o.Variable == v
		}
		if last := &in.Ops[len(in.Ops)-1]; op.Code == isa.Add && op.Type(0).Bits == 64 {
			each(&in.Ops[1], func(r *kernel.Register) { loaded = from[r] || beyond[r] })
			each(last, func(r *kernel.Register) { loaded = loaded || from[r] || beyond[r] })
			each(&in.Ops[0], func(r *kernel.Register) { beyond[r] = loaded })
			continue
		}
		switch {
		case !loaded:
		case op.Code == isa.Cvta:
			return op.Space
		case op.Code == isa.Ld && op.Space == isa.Param, op.Code == isa.Mov:
			each(&in.Ops[0], func(r *kernel.Register) { from[r] = true })
		case op.Class() == isa.ClassAccess && in.Ops[1].Kind == kernel.Address && op.Code == isa.Ld, op.Class() ==
			isa.ClassAtomic:
			if op.Space != isa.Generic {
				return op.Space
			}
			return isa.Global
		}
	}
	return isa.Generic
}

// addressed returns the address operand of an instruction that copies from global memory or moves a
// matrix from or to it, or nil for other instructions. Compilers convert no address to the global
// window for these.
func addressed(in *kernel.Instr, op *isa.Opcode) *kernel.Operand {
	tile := op.Tile()
	switch {
	case op.AsyncCopy() == isa.CopyStart, tile != nil && tile.Space == isa.Global && !tile.Store:
		return &in.Ops[1]
	case tile != nil && tile.Space == isa.Global:
		return &in.Ops[0]
	}
	return nil
}

// contents returns the initial contents of memory: what the threads of an alarm read before writing
// it, and what the contract requires. If vary is set, distinct numbers replace a 0 that is read,
// which often stands for any number.
func contents(start verify.Start, vary bool) func(*launch.Object) map[int64]byte {
	return func(o *launch.Object) map[int64]byte {
		bytes := map[int64]byte{}
		put := func(offset int64, size int, bits uint64) {
			for i := range size {
				bytes[offset+int64(i)] = byte(bits >> (8 * i))
			}
		}
		for _, r := range slices.Backward(start.Reads) {
			if r.Array.Name != o.Name {
				continue
			}
			bits := r.Bits
			if vary && bits == 0 && r.Size <= 4 {
				bits = uint64(r.Offset/int64(r.Size)%100+100)%100 + 1
			}
			put(r.Offset, r.Size, bits)
		}
		for _, c := range start.Cells {
			if c.Array == o.Name {
				put(c.Offset, c.Size, c.Bits)
			}
		}
		return bytes
	}
}

package clike

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/arith"
	"github.com/muster-gpu/muster/src"
)

// Bounds on the control paths of one thread, as in package ptx.
const (
	maxPaths  = 1 << 14
	maxSteps  = 1 << 14 // instructions on one path
	maxEvents = 1 << 18 // events of all paths together
)

// stepsAStop is after how many instructions of a path frontend.Options.Stop is asked again.
const stepsAStop = 64

// deps is a set of reads of one thread, sorted: where a value or a decision comes from.
type deps []int

func (d deps) union(e deps) deps {
	if len(e) == 0 {
		return d
	}
	if len(d) == 0 {
		return e
	}
	u := append(slices.Clone(d), e...)
	slices.Sort(u)
	return slices.Compact(u)
}

// held is what a register holds on a path and where that came from.
type held struct {
	value event.Expr
	from  deps
}

// control is the reads that decided a branch, and where its two ways join again: up to there, all
// events depend on them.
type control struct {
	from deps
	join int
}

// path is a control path, and where it meets those of other threads.
type path struct {
	*event.Path
	meetings []meeting
	idle     bool // it goes on after a round of a loop without a trace (loops.go)
}

// walk is a thread on its way along one control path.
type walk struct {
	*thread
	opts     frontend.Options
	whole    bool // values of memory have the width of the accesses
	pc       int
	steps    int
	regs     []held
	controls []control
	decided  map[event.Expr]bool // what the path has assumed
	jumps    map[int]int         // how often each backward jump was taken
	rounds   map[int]round       // at each loop head, the state when the thread was last there
	dropped  bool                // other paths have all that this one has
	idleAt   int                 // the jump at the end of the idle round, if the path has one
	path     *path
	forks    *[]*walk // where alternatives wait to be walked
	threads  int      // that may meet at a barrier
	noted    func(at src.Span, x event.Expr, address bool)
}

// paths walks every control path of the thread.
func (t *thread) paths(first *walk) ([]*path, error) {
	forks := []*walk{first}
	var paths []*path
	events := 0
	first.forks = &forks
	for len(forks) > 0 {
		w := forks[len(forks)-1]
		forks = forks[:len(forks)-1]
		if err := w.run(); err != nil {
			return nil, err
		}
		if w.dropped {
			continue
		}
		paths = append(paths, w.path)
		events += len(w.path.Events)
		switch {
		case len(paths) > maxPaths:
			return nil, &frontend.PathLimitError{Thread: t.name, What: fmt.Sprintf("%d control paths", maxPaths)}
		case events > maxEvents:
			return nil, &frontend.PathLimitError{Thread: t.name, What: fmt.Sprintf("%d events on its control paths", maxEvents)}
		}
	}
	return paths, nil
}

// start is a walk at the beginning of a thread.
func (p *Program) start(t *thread) *walk {
	w := &walk{
		thread: t, opts: p.opts, whole: p.whole, threads: len(p.code),
		decided: map[event.Expr]bool{}, jumps: map[int]int{}, rounds: map[int]round{},
		path: &path{Path: &event.Path{}},
	}
	for _, v := range t.initial {
		w.regs = append(w.regs, held{value: event.Const(v)})
	}
	return w
}

// fork copies the walk; the copy goes on later.
func (w *walk) fork() *walk {
	f := *w
	f.regs = slices.Clone(w.regs)
	f.controls = slices.Clone(w.controls)
	f.decided = maps.Clone(w.decided)
	f.jumps = maps.Clone(w.jumps)
	f.rounds = maps.Clone(w.rounds)
	f.path = &path{w.path.Clone(), slices.Clone(w.path.meetings), w.path.idle}
	*w.forks = append(*w.forks, &f)
	return &f
}

// stopped asks whether to go on.
func (w *walk) stopped() error {
	if w.opts.Stop == nil {
		return nil
	}
	return w.opts.Stop()
}

// run follows the path to its end (event.Ending), or until it is dropped.
func (w *walk) run() error {
	if err := w.stopped(); err != nil {
		return err
	}
	for w.pc < len(w.code) && w.path.Ending == event.Complete && !w.dropped {
		w.join()
		w.beginRound()
		if w.steps++; w.steps > maxSteps {
			return &frontend.PathLimitError{Thread: w.name, What: fmt.Sprintf("%d instructions on a control path", maxSteps)}
		}
		if w.steps%stepsAStop == 0 {
			if err := w.stopped(); err != nil {
				return err
			}
		}
		in := w.code[w.pc]
		w.pc++
		if err := w.step(in); err != nil {
			return err
		}
	}
	return w.finals()
}

// finals notes what the variables hold at the end.
func (w *walk) finals() error {
	w.path.Finals = map[string]event.Expr{}
	for r, name := range w.names {
		if name == "" {
			continue
		}
		x, t := w.regs[r].value, w.types[r].holds()
		if !t.Signed && t.Bits < 32 {
			var err error
			if x, err = event.Apply(arith.Extend, t, x); err != nil {
				return err
			}
		}
		w.path.Finals[name] = x
	}
	return nil
}

// join ends the control dependencies of branches whose ways join here.
func (w *walk) join() {
	for n := len(w.controls); n > 0 && w.controls[n-1].join == w.pc; n = len(w.controls) {
		w.controls = w.controls[:n-1]
	}
}

func (w *walk) step(in instr) error {
	switch in := in.(type) {
	case *assign:
		v, err := w.eval(in, in.x)
		w.regs[in.dst] = v
		return err
	case *load:
		return w.load(in)
	case *store:
		return w.store(in)
	case *update:
		return w.update(in)
	case *swap:
		return w.swap(in)
	case *fence:
		w.event(event.Event{Kind: event.Fence, Order: in.order, Scope: in.scope, Tags: in.spaces, Mnemonic: in.mnemonic()}, nil, nil, nil)
	case *meet:
		return w.meet(in)
	case *branch:
		return w.branch(in)
	case *jump:
		if in.to < w.pc && !w.goRound(w.pc-1, in.to) {
			return nil
		}
		w.pc = in.to
	}
	return nil
}

// mnemonic is a fence as pictures name it: "atomic_thread_fence(acquire)".
func (a *access) mnemonic() string { return fmt.Sprintf("%s(%s)", a.name, a.order) }

// eval computes an expression.
func (w *walk) eval(in instr, x expr) (held, error) {
	switch x := x.(type) {
	case constant:
		return held{value: event.Const(event.Value(x))}, nil
	case register:
		return w.regs[x], nil
	}
	o := x.(operation)
	var h held
	args := make([]event.Expr, len(o.args))
	for i, a := range o.args {
		v, err := w.eval(in, a)
		if err != nil {
			return v, err
		}
		args[i], h.from = v.value, h.from.union(v.from)
	}
	var err error
	h.value, err = w.apply(in, o.op, o.typ, args...)
	return h, err
}

// apply computes an operation; an error points at the instruction.
func (w *walk) apply(in instr, op arith.Op, t arith.Type, args ...event.Expr) (event.Expr, error) {
	x, err := event.Apply(op, t, args...)
	if err != nil {
		return event.Const(event.Int(0)), src.Errorf(in.at(), "%v", err)
	}
	if w.noted != nil {
		w.noted(in.at(), x, false)
	}
	return x, nil
}

// address computes the address of an access.
func (w *walk) address(in instr, x expr) (held, error) {
	h, err := w.eval(in, x)
	if err == nil && w.noted != nil {
		w.noted(in.at(), h.value, true)
	}
	return h, err
}

// event appends an event that depends on the given reads, and returns its number.
func (w *walk) event(e event.Event, addr, data, ctrl deps) int {
	n := len(w.path.Events)
	w.path.Events = append(w.path.Events, e)
	link := func(to *[]event.Pair, from deps) {
		for _, r := range from {
			*to = append(*to, event.Pair{r, n})
		}
	}
	link(&w.path.Addr, addr)
	link(&w.path.Data, data)
	for _, c := range w.controls {
		ctrl = ctrl.union(c.from)
	}
	link(&w.path.Ctrl, ctrl)
	return n
}

// start begins the event of an access.
func (a *access) start(kind event.Kind, order event.Order, addr held) event.Event {
	return event.Event{
		Kind: kind, Addr: addr.value, Order: order, Scope: a.scope, Tags: a.spaces, Volatile: a.volatile, Mnemonic: a.name,
	}
}

// read appends a read, and returns its number.
func (w *walk) read(a *access, order event.Order, addr held, atomic bool) int {
	n := len(w.path.Events)
	e := a.start(event.Read, order, addr)
	e.Data, e.Atomic = event.ReadOf(n), atomic
	w.event(e, addr.from, nil, nil)
	return n
}

// loaded is a value of memory in the type of the access.
func (w *walk) loaded(in instr, a *access, x event.Expr) (event.Expr, error) {
	if w.whole && a.typ.Bits != 8 && a.typ.Bits != 16 {
		return x, nil
	}
	return w.apply(in, arith.Wrap, a.typ, x)
}

// stored is a value as memory holds it: unsigned ones of less than 32 bits as themselves.
func (w *walk) stored(in instr, a *access, x event.Expr) (event.Expr, error) {
	if !a.typ.Signed && (a.typ.Bits == 8 || a.typ.Bits == 16) {
		return w.apply(in, arith.Extend, a.typ, x)
	}
	return x, nil
}

func (w *walk) load(in *load) error {
	addr, err := w.address(in, in.addr)
	if err != nil {
		return err
	}
	n := w.read(&in.access, in.order, addr, false)
	v, err := w.loaded(in, &in.access, event.ReadOf(n))
	if in.dst != none {
		w.regs[in.dst] = held{v, deps{n}}
	}
	return err
}

func (w *walk) store(in *store) error {
	addr, err := w.address(in, in.addr)
	if err != nil {
		return err
	}
	v, err := w.eval(in, in.x)
	if err != nil {
		return err
	}
	e := in.start(event.Write, in.order, addr)
	if e.Data, err = w.stored(in, &in.access, v.value); err != nil {
		return err
	}
	w.event(e, addr.from, v.from, nil)
	return nil
}

// write appends the write of a read-modify-write whose read is number n.
func (w *walk) write(in instr, a *access, n int, addr, v held, ctrl deps) error {
	e := a.start(event.Write, a.order, addr)
	e.Order, e.Atomic = rmwOrders[a.order].write, true
	var err error
	if e.Data, err = w.stored(in, a, v.value); err != nil {
		return err
	}
	m := w.event(e, addr.from, v.from, ctrl)
	w.path.Rmw = append(w.path.Rmw, event.Pair{n, m})
	return nil
}

// rmwOrders are the orders of the read and of the write of a read-modify-write with the given order.
var rmwOrders = map[event.Order]struct{ read, write event.Order }{
	event.Relaxed: {event.Relaxed, event.Relaxed},
	event.Acquire: {event.Acquire, event.Relaxed},
	event.Release: {event.Relaxed, event.Release},
	event.AcqRel:  {event.Acquire, event.Release},
	event.SC:      {event.SC, event.SC},
}

func (w *walk) update(in *update) error {
	addr, err := w.address(in, in.addr)
	if err != nil {
		return err
	}
	v, err := w.eval(in, in.x)
	if err != nil {
		return err
	}
	n := w.read(&in.access, rmwOrders[in.order].read, addr, true)
	old, err := w.loaded(in, &in.access, event.ReadOf(n))
	if err != nil {
		return err
	}
	if !in.exchange {
		v.from = v.from.union(deps{n})
		if v.value, err = w.apply(in, in.op, in.typ, old, v.value); err != nil {
			return err
		}
	}
	if err := w.write(in, &in.access, n, addr, v, nil); err != nil {
		return err
	}
	if in.dst != none {
		w.regs[in.dst] = held{old, deps{n}}
	}
	return nil
}

// swap is a compare-exchange. Whether it writes depends on what it reads and expects.
func (w *walk) swap(in *swap) error {
	addr, err := w.address(in, in.addr)
	if err != nil {
		return err
	}
	expected, err := w.eval(in, in.expected)
	if err != nil {
		return err
	}
	v, err := w.eval(in, in.x)
	if err != nil {
		return err
	}
	old := held{event.ReadOf(len(w.path.Events)), deps{len(w.path.Events)}}
	if old.value, err = w.loaded(in, &in.access, old.value); err != nil {
		return err
	}
	equal, err := w.apply(in, arith.Eq, in.typ, old.value, expected.value)
	if err != nil {
		return err
	}
	decides := old.from.union(expected.from)
	fail := func(agree bool) {
		failed := w.fork()
		failed.assume(equal, agree)
		failed.read(&in.access, in.failure, addr, false)
		failed.finish(in, old, 0, decides)
	}
	if in.mayFail {
		fail(true)
	}
	fail(false)
	w.assume(equal, true)
	n := w.read(&in.access, rmwOrders[in.order].read, addr, true)
	w.finish(in, old, 1, decides)
	return w.write(in, &in.access, n, addr, v, decides)
}

// finish sets what a compare-exchange returns.
func (w *walk) finish(in *swap, old held, ok int64, decides deps) {
	if in.old != none {
		w.regs[in.old] = old
	}
	if in.ok != none {
		w.regs[in.ok] = held{event.Const(event.Int(ok)), decides}
	}
}

// branch goes one way; if the values of reads decide which, the other way is forked off.
func (w *walk) branch(in *branch) error {
	cond, err := w.eval(in, in.cond)
	if err != nil {
		return err
	}
	if len(cond.from) > 0 {
		w.controls = append(w.controls, control{cond.from, in.join})
	}
	truth, known := w.truth(cond.value)
	if !known {
		other := w.fork()
		other.assume(cond.value, false)
		other.pc = in.otherwise
		w.assume(cond.value, true)
		return nil
	}
	if !truth {
		w.pc = in.otherwise
	}
	return nil
}

// decision is what a path decides when it assumes an expression: comparisons for equality decide that
// the values are equal, or that they are not.
func decision(x event.Expr) (what event.Expr, negated bool) {
	op, ok := x.(event.Op)
	if !ok || op.Code != arith.Eq && op.Code != arith.Ne {
		return x, false
	}
	negated = op.Code == arith.Ne
	op.Code, op.Type.Signed = arith.Eq, false
	return op, negated
}

// truth says whether an expression is true on this path, and whether that is known yet.
func (w *walk) truth(x event.Expr) (truth, known bool) {
	if c, ok := x.(event.Const); ok {
		return event.Value(c).True(), true
	}
	what, negated := decision(x)
	truth, known = w.decided[what]
	return truth != negated, known
}

func (w *walk) assume(x event.Expr, want bool) {
	what, negated := decision(x)
	w.decided[what] = want != negated
	if equal, ok := what.(event.Op); ok && equal.Code == arith.Eq {
		equal.Args[0], equal.Args[1] = equal.Args[1], equal.Args[0]
		w.decided[equal] = want != negated
	}
	w.path.Conds = append(w.path.Conds, event.Cond{X: x, Want: want})
}

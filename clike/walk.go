package clike

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
	"github.com/muster-gpu/muster/internal/unwind"
	"github.com/muster-gpu/muster/src"
)

// control is the reads that decided a branch, and where its two ways join again: up to there, all
// events depend on them.
type control struct {
	from unwind.Deps
	join int
}

// path is a control path with the barriers that the thread comes to.
type path = unwind.Path[meeting]

// walk is a thread on its way along one control path.
type walk struct {
	unwind.Walk[register, meeting]
	*thread
	whole    bool // values of memory have the width of the accesses
	regs     []unwind.Held
	controls []control
	forks    *[]*walk // where alternatives wait to be walked
	threads  int      // that may meet at a barrier
	noted    func(at src.Span, x event.Expr, address bool)
}

// follow walks every control path that begins with this walk.
func (w *walk) follow() ([]*path, error) {
	w.forks = &[]*walk{w}
	return unwind.Follow(w.forks)
}

// start is a walk at the beginning of a thread.
func (p *Program) start(t *thread) *walk {
	heads := unwind.LoopHeads(t.code, t.observed)
	w := &walk{
		Walk: unwind.New[register, meeting](t.name, heads, p.opts), thread: t, whole: p.whole, threads: len(p.code),
	}
	for _, v := range t.initial {
		w.regs = append(w.regs, unwind.Held{Value: event.Const(v)})
	}
	return w
}

// fork copies the walk; the copy goes on later.
func (w *walk) fork() *walk {
	f := *w
	f.Walk = w.Walk.Fork()
	f.regs = slices.Clone(w.regs)
	f.controls = slices.Clone(w.controls)
	*w.forks = append(*w.forks, &f)
	return &f
}

// forkWalk is fork, as EndRound asks for it.
func (w *walk) forkWalk() *unwind.Walk[register, meeting] { return &w.fork().Walk }

// Run follows the path to its end (event.Ending), or until it is dropped.
func (w *walk) Run() error {
	for {
		on, err := w.Continues(len(w.code))
		if err != nil {
			return err
		}
		if !on {
			return w.finals()
		}
		w.join()
		w.BeginRound(w.value)
		in := w.code[w.PC]
		w.PC++
		if err := w.step(in); err != nil {
			return err
		}
	}
}

// value is what a register holds.
func (w *walk) value(r register) event.Expr { return w.regs[r].Value }

// finals notes what the variables hold at the end.
func (w *walk) finals() error {
	w.Path.Finals = map[string]event.Expr{}
	for r, name := range w.names {
		if name == "" {
			continue
		}
		x, t := w.regs[r].Value, w.types[r].holds()
		if !t.Signed && t.Bits < 32 {
			var err error
			if x, err = event.Apply(arith.Extend, t, x); err != nil {
				return err
			}
		}
		w.Path.Finals[name] = x
	}
	return nil
}

// join ends the control dependencies of branches whose ways join here.
func (w *walk) join() {
	for n := len(w.controls); n > 0 && w.controls[n-1].join == w.PC; n = len(w.controls) {
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
		if in.to < w.PC && !w.EndRound(w.PC-1, in.to, w.value, w.forkWalk) {
			return nil
		}
		w.PC = in.to
	}
	return nil
}

// mnemonic is a fence as pictures name it: "atomic_thread_fence(acquire)".
func (a *access) mnemonic() string { return fmt.Sprintf("%s(%s)", a.name, a.order) }

// eval computes an expression.
func (w *walk) eval(in instr, x expr) (unwind.Held, error) {
	switch x := x.(type) {
	case constant:
		return unwind.Held{Value: event.Const(event.Value(x))}, nil
	case register:
		return w.regs[x], nil
	}
	o := x.(operation)
	var h unwind.Held
	args := make([]event.Expr, len(o.args))
	for i, a := range o.args {
		v, err := w.eval(in, a)
		if err != nil {
			return v, err
		}
		args[i], h.From = v.Value, h.From.Union(v.From)
	}
	var err error
	h.Value, err = w.apply(in, o.op, o.typ, args...)
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
func (w *walk) address(in instr, x expr) (unwind.Held, error) {
	h, err := w.eval(in, x)
	if err == nil && w.noted != nil {
		w.noted(in.at(), h.Value, true)
	}
	return h, err
}

// event appends an event that depends on the given reads, and on those that decided that the thread
// comes to it. It returns the event's number.
func (w *walk) event(e event.Event, addr, data, ctrl unwind.Deps) int {
	for _, c := range w.controls {
		ctrl = ctrl.Union(c.from)
	}
	return w.Event(e, addr, data, ctrl)
}

// start begins the event of an access.
func (a *access) start(kind event.Kind, order event.Order, addr unwind.Held) event.Event {
	return event.Event{
		Kind: kind, Addr: addr.Value, Order: order, Scope: a.scope, Tags: a.spaces, Volatile: a.volatile, Mnemonic: a.name,
	}
}

// read appends a read, and returns its number.
func (w *walk) read(a *access, order event.Order, addr unwind.Held, atomic bool) int {
	n := len(w.Path.Events)
	e := a.start(event.Read, order, addr)
	e.Data, e.Atomic = event.ReadOf(n), atomic
	w.event(e, addr.From, nil, nil)
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
		w.regs[in.dst] = unwind.Held{Value: v, From: unwind.Deps{n}}
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
	if e.Data, err = w.stored(in, &in.access, v.Value); err != nil {
		return err
	}
	w.event(e, addr.From, v.From, nil)
	return nil
}

// write appends the write of a read-modify-write whose read is number n.
func (w *walk) write(in instr, a *access, n int, addr, v unwind.Held, ctrl unwind.Deps) error {
	e := a.start(event.Write, a.order, addr)
	e.Order, e.Atomic = rmwOrders[a.order].write, true
	var err error
	if e.Data, err = w.stored(in, a, v.Value); err != nil {
		return err
	}
	m := w.event(e, addr.From, v.From, ctrl)
	w.Path.Rmw = append(w.Path.Rmw, event.Pair{n, m})
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
		v.From = v.From.Union(unwind.Deps{n})
		if v.Value, err = w.apply(in, in.op, in.typ, old, v.Value); err != nil {
			return err
		}
	}
	if err := w.write(in, &in.access, n, addr, v, nil); err != nil {
		return err
	}
	if in.dst != none {
		w.regs[in.dst] = unwind.Held{Value: old, From: unwind.Deps{n}}
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
	old := unwind.Held{Value: event.ReadOf(len(w.Path.Events)), From: unwind.Deps{len(w.Path.Events)}}
	if old.Value, err = w.loaded(in, &in.access, old.Value); err != nil {
		return err
	}
	equal, err := w.apply(in, arith.Eq, in.typ, old.Value, expected.Value)
	if err != nil {
		return err
	}
	decides := old.From.Union(expected.From)
	fail := func(agree bool) {
		failed := w.fork()
		failed.Assume(equal, agree)
		failed.read(&in.access, in.failure, addr, false)
		failed.finish(in, old, 0, decides)
	}
	if in.mayFail {
		fail(true)
	}
	fail(false)
	w.Assume(equal, true)
	n := w.read(&in.access, rmwOrders[in.order].read, addr, true)
	w.finish(in, old, 1, decides)
	return w.write(in, &in.access, n, addr, v, decides)
}

// finish sets what a compare-exchange returns.
func (w *walk) finish(in *swap, old unwind.Held, ok int64, decides unwind.Deps) {
	if in.old != none {
		w.regs[in.old] = old
	}
	if in.ok != none {
		w.regs[in.ok] = unwind.Held{Value: event.Const(event.Int(ok)), From: decides}
	}
}

// branch goes one way; if the values of reads decide which, the other way is forked off.
func (w *walk) branch(in *branch) error {
	cond, err := w.eval(in, in.cond)
	if err != nil {
		return err
	}
	if len(cond.From) > 0 {
		w.controls = append(w.controls, control{cond.From, in.join})
	}
	truth, known := w.Truth(cond.Value)
	if !known {
		other := w.fork()
		other.Assume(cond.Value, false)
		other.PC = in.otherwise
		w.Assume(cond.Value, true)
		return nil
	}
	if !truth {
		w.PC = in.otherwise
	}
	return nil
}

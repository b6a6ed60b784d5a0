package clike

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/language/unwind"
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
	unwind.Walk[Register, meeting]
	*Thread
	whole      bool // values of memory have the width of the accesses
	regs       []unwind.Held
	controls   []control
	evaluation *evaluation // of an expression whose order is open; nil outside of such
	forks      *[]*walk    // where alternatives wait to be walked
	threads    int         // that may meet at a barrier
	noted      func(at src.Span, x event.Expr, address bool)
}

// follow walks every control path that begins with this walk.
func (w *walk) follow() ([]*path, error) {
	w.forks = &[]*walk{w}
	return unwind.Follow(w.forks)
}

// start is a walk at the beginning of a thread.
func (p *Program) start(t *Thread) *walk {
	w := &walk{
		Walk: unwind.New[Register, meeting](t.Name, unwind.FindLoops(t.loopCode(), t.Observed), p.opts), Thread: t, whole: p.whole, threads: len(p.Code),
	}
	for _, v := range t.Initial {
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
	f.evaluation = w.evaluation.clone()
	*w.forks = append(*w.forks, &f)
	return &f
}

// forkWalk is fork, as rounds ask for it.
func (w *walk) forkWalk() *unwind.Walk[Register, meeting] { return &w.fork().Walk }

// Run follows the path to its end (event.Ending), or until it is dropped.
func (w *walk) Run() error {
	for {
		if w.evaluation != nil && w.Path.Ending == event.Complete && !w.goesOn() {
			return nil
		}
		on, err := w.Continues(len(w.Code))
		if err != nil {
			return err
		}
		if !on {
			return w.finals()
		}
		w.join()
		if !w.BeginRound(w.value, w.forkWalk) {
			return w.finals()
		}
		in := w.Code[w.PC]
		if w.evaluation != nil {
			w.note()
		}
		w.PC++
		if err := w.step(in); err != nil {
			return err
		}
	}
}

// value is what a register holds.
func (w *walk) value(r Register) event.Expr { return w.regs[r].Value }

// finals notes what the variables hold at the end.
func (w *walk) finals() error {
	if w.evaluation != nil {
		w.conclude()
	}
	w.Path.Finals = map[string]event.Expr{}
	for r, name := range w.Names {
		if name == "" {
			continue
		}
		x, t := w.regs[r].Value, w.Types[r].Holds()
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
	w.controls = slices.DeleteFunc(w.controls, func(c control) bool { return c.join == w.PC })
}

func (w *walk) step(in Instr) error {
	switch in := in.(type) {
	case *Assign:
		v, err := w.eval(in, in.X)
		w.regs[in.Dst] = v
		return err
	case *Load:
		return w.load(in)
	case *Store:
		return w.store(in)
	case *Update:
		return w.update(in)
	case *Swap:
		return w.swap(in)
	case *Fence:
		w.event(event.Event{Kind: event.Fence, Order: in.Order, Scope: in.Scope, Tags: in.Spaces, Mnemonic: in.mnemonic()}, nil, nil, nil)
	case *Meet:
		return w.meet(in)
	case *Operands:
		w.split(in)
	case *Branch:
		return w.branch(in)
	case *Jump:
		if in.To < w.PC && !w.EndRound(w.PC-1, w.value, w.forkWalk) {
			return nil
		}
		w.PC = in.To
	}
	return nil
}

// mnemonic is a fence as pictures name it: "atomic_thread_fence(acquire)".
func (a *Access) mnemonic() string { return fmt.Sprintf("%s(%s)", a.Name, a.Order) }

// eval computes an expression.
func (w *walk) eval(in Instr, x Expr) (unwind.Held, error) {
	switch x := x.(type) {
	case Constant:
		return unwind.Held{Value: event.Const(event.Value(x))}, nil
	case Register:
		return w.regs[x], nil
	}
	o := x.(Operation)
	var h unwind.Held
	args := make([]event.Expr, len(o.Args))
	for i, a := range o.Args {
		v, err := w.eval(in, a)
		if err != nil {
			return v, err
		}
		args[i], h.From = v.Value, h.From.Union(v.From)
	}
	var err error
	h.Value, err = w.apply(in, o.Op, o.Type, args...)
	return h, err
}

// apply computes an operation; an error points at the instruction.
func (w *walk) apply(in Instr, op arith.Op, t arith.Type, args ...event.Expr) (event.Expr, error) {
	x, err := event.Apply(op, t, args...)
	if err != nil {
		return event.Const(event.Int(0)), src.Errorf(w.At(in), "%v", err)
	}
	if w.noted != nil {
		w.noted(w.At(in), x, false)
	}
	return x, nil
}

// address computes the address of an access.
func (w *walk) address(in Instr, x Expr) (unwind.Held, error) {
	h, err := w.eval(in, x)
	if err == nil && w.noted != nil {
		w.noted(w.At(in), h.Value, true)
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
func (a *Access) start(kind event.Kind, order event.Order, addr unwind.Held) event.Event {
	return event.Event{
		Kind: kind, Addr: addr.Value, Order: order, Scope: a.Scope, Tags: a.Spaces, Volatile: a.Volatile, Mnemonic: a.Name,
	}
}

// read appends a read, and returns its number.
func (w *walk) read(a *Access, order event.Order, addr unwind.Held, atomic bool) int {
	n := len(w.Path.Events)
	e := a.start(event.Read, order, addr)
	e.Data, e.Atomic = event.ReadOf(n), atomic
	w.event(e, addr.From, nil, nil)
	return n
}

// loaded is a value of memory in the type of the access.
func (w *walk) loaded(in Instr, a *Access, x event.Expr) (event.Expr, error) {
	if w.whole && a.Type.Bits != 8 && a.Type.Bits != 16 {
		return x, nil
	}
	return w.apply(in, arith.Wrap, a.Type, x)
}

// stored is a value as memory holds it: unsigned ones of less than 32 bits as themselves.
func (w *walk) stored(in Instr, a *Access, x event.Expr) (event.Expr, error) {
	if !a.Type.Signed && (a.Type.Bits == 8 || a.Type.Bits == 16) {
		return w.apply(in, arith.Extend, a.Type, x)
	}
	return x, nil
}

func (w *walk) load(in *Load) error {
	addr, err := w.address(in, in.Addr)
	if err != nil {
		return err
	}
	n := w.read(&in.Access, in.Order, addr, false)
	v, err := w.loaded(in, &in.Access, event.ReadOf(n))
	if in.Dst != None {
		w.regs[in.Dst] = unwind.Held{Value: v, From: unwind.Deps{n}}
	}
	return err
}

func (w *walk) store(in *Store) error {
	addr, err := w.address(in, in.Addr)
	if err != nil {
		return err
	}
	v, err := w.eval(in, in.X)
	if err != nil {
		return err
	}
	e := in.start(event.Write, in.Order, addr)
	if e.Data, err = w.stored(in, &in.Access, v.Value); err != nil {
		return err
	}
	w.event(e, addr.From, v.From, nil)
	return nil
}

// write appends the write of a read-modify-write whose read is number n.
func (w *walk) write(in Instr, a *Access, n int, addr, v unwind.Held, ctrl unwind.Deps) error {
	e := a.start(event.Write, a.Order, addr)
	e.Order, e.Atomic = rmwOrders[a.Order].write, true
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

func (w *walk) update(in *Update) error {
	addr, err := w.address(in, in.Addr)
	if err != nil {
		return err
	}
	v, err := w.eval(in, in.X)
	if err != nil {
		return err
	}
	n := w.read(&in.Access, rmwOrders[in.Order].read, addr, true)
	old, err := w.loaded(in, &in.Access, event.ReadOf(n))
	if err != nil {
		return err
	}
	if !in.Exchange {
		v.From = v.From.Union(unwind.Deps{n})
		if v.Value, err = w.apply(in, in.Op, in.Type, old, v.Value); err != nil {
			return err
		}
	}
	if err := w.write(in, &in.Access, n, addr, v, nil); err != nil {
		return err
	}
	if in.Dst != None {
		w.regs[in.Dst] = unwind.Held{Value: old, From: unwind.Deps{n}}
	}
	return nil
}

// swap is a compare-exchange. Whether it writes depends on what it reads and expects.
func (w *walk) swap(in *Swap) error {
	addr, err := w.address(in, in.Addr)
	if err != nil {
		return err
	}
	expected, err := w.eval(in, in.Expected)
	if err != nil {
		return err
	}
	v, err := w.eval(in, in.X)
	if err != nil {
		return err
	}
	old := unwind.Held{Value: event.ReadOf(len(w.Path.Events)), From: unwind.Deps{len(w.Path.Events)}}
	if old.Value, err = w.loaded(in, &in.Access, old.Value); err != nil {
		return err
	}
	equal, err := w.apply(in, arith.Eq, in.Type, old.Value, expected.Value)
	if err != nil {
		return err
	}
	decides := old.From.Union(expected.From)
	fail := func(agree bool) {
		failed := w.fork()
		failed.Assume(equal, agree)
		failed.read(&in.Access, in.Failure, addr, false)
		found := old
		if agree { // a loop that tries again with the same value leaves no trace
			found.Value = expected.Value
		}
		failed.finish(in, found, 0, decides)
	}
	if in.MayFail {
		fail(true)
	}
	fail(false)
	w.Assume(equal, true)
	n := w.read(&in.Access, rmwOrders[in.Order].read, addr, true)
	w.finish(in, old, 1, decides)
	return w.write(in, &in.Access, n, addr, v, decides)
}

// finish sets what a compare-exchange returns.
func (w *walk) finish(in *Swap, old unwind.Held, ok int64, decides unwind.Deps) {
	if in.Old != None {
		w.regs[in.Old] = old
	}
	if in.OK != None {
		w.regs[in.OK] = unwind.Held{Value: event.Const(event.Int(ok)), From: decides}
	}
}

// branch goes one way; if the values of reads decide which, the other way is forked off.
func (w *walk) branch(in *Branch) error {
	cond, err := w.eval(in, in.Cond)
	if err != nil {
		return err
	}
	if len(cond.From) > 0 {
		w.controls = append(w.controls, control{cond.From, in.Join})
	}
	truth, known := w.Truth(cond.Value)
	if !known {
		other := w.fork()
		other.Assume(cond.Value, false)
		other.PC = in.Otherwise
		w.Assume(cond.Value, true)
		return nil
	}
	if !truth {
		w.PC = in.Otherwise
	}
	return nil
}

package clike

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/src"
)

// walk is the state of a thread on one control path.
type walk struct {
	*path.Walk[Register]
	*Thread
	whole      bool        // values of memory have the width of the accesses
	evaluation *evaluation // of an expression whose order is open; nil outside of such
	threads    int         // that may meet at a barrier
}

var _ path.Stateful[Register] = (*walk)(nil)

// start returns a thread at its beginning.
func (p *Program) start(t *Thread) *path.Start[Register] {
	registers := make(map[Register]event.Expr, len(t.Initial))
	for r, v := range t.Initial {
		registers[Register(r)] = event.Const(v)
	}
	return &path.Start[Register]{
		Name: t.Name, Thread: &walk{Thread: t, whole: p.whole, threads: len(p.Code)}, Registers: registers, Observed: t.Observed, Options: p.opts,
	}
}

// Copy copies the state of the walk for a walk that forks off.
func (w *walk) Copy(to *path.Walk[Register]) path.Thread[Register] {
	f := *w
	f.Walk, f.evaluation = to, w.evaluation.clone()
	return &f
}

// ofC returns what a thread of C remembers on a walk.
func ofC(w *path.Walk[Register]) *walk { return w.Thread.(*walk) }

// Guide moves the walk to its next instruction. It returns false if another walk covers this one.
func (w *walk) Guide() bool { return w.evaluation == nil || w.goesOn() }

// value returns what a register holds.
func (w *walk) value(r Register) event.Expr {
	h, _ := w.Get(r)
	return h.Value
}

// Finals returns what the variables hold at the end.
func (w *walk) Finals() (map[string]event.Expr, error) {
	if w.evaluation != nil {
		w.conclude()
	}
	finals := map[string]event.Expr{}
	for r, name := range w.Names {
		if name == "" {
			continue
		}
		x, t := w.value(Register(r)), w.Types[r].Holds()
		if !t.Signed && t.Bits < 32 {
			var err error
			if x, err = event.Apply(arith.Extend, t, x); err != nil {
				return nil, err
			}
		}
		finals[name] = x
	}
	return finals, nil
}

// Step does an instruction.
func (w *walk) Step(_ *path.Walk[Register], pc int) error {
	if w.evaluation != nil {
		w.note(pc)
	}
	in := w.Code[pc]
	switch in := in.(type) {
	case *Assign:
		v, err := w.eval(in, in.X)
		w.Set(in.Dst, v)
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
		w.Fence(event.Event{Order: in.Order, Scope: in.Scope, Tags: in.Spaces, Mnemonic: in.mnemonic()})
	case *Meet:
		return w.meet(in)
	case *Operands:
		w.split(in)
	case *Branch:
		return w.branch(in)
	case *Jump:
		w.Jump(in.To)
	}
	return nil
}

// mnemonic returns a fence as pictures name it: "atomic_thread_fence(acquire)".
func (a *Access) mnemonic() string { return fmt.Sprintf("%s(%s)", a.Name, a.Order) }

// eval computes an expression.
func (w *walk) eval(in Instr, x Expr) (path.Held, error) {
	switch x := x.(type) {
	case Constant:
		return path.Held{Value: event.Const(event.Value(x))}, nil
	case Register:
		h, _ := w.Get(x)
		return h, nil
	}
	o := x.(Operation)
	var h path.Held
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
	w.Note(x, false)
	return x, nil
}

// address computes the address of an access.
func (w *walk) address(in Instr, x Expr) (path.Held, error) {
	h, err := w.eval(in, x)
	if err == nil {
		w.Note(h.Value, true)
	}
	return h, err
}

// event begins the event of an access.
func (a *Access) event(order event.Order) event.Event {
	return event.Event{Order: order, Scope: a.Scope, Tags: a.Spaces, Volatile: a.Volatile, Mnemonic: a.Name}
}

// atomic begins the events of a read-modify-write.
func (a *Access) atomic() (read, write event.Event) {
	first, last := a.Order.OfRmw()
	read, write = a.event(first), a.event(last)
	read.Atomic, write.Atomic = true, true
	return read, write
}

// loaded returns a value of memory in the type of the access.
func (w *walk) loaded(in Instr, a *Access, x event.Expr) (event.Expr, error) {
	if w.whole && a.Type.Bits != 8 && a.Type.Bits != 16 {
		return x, nil
	}
	return w.apply(in, arith.Wrap, a.Type, x)
}

// stored returns a value as memory holds it: unsigned ones of less than 32 bits as themselves.
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
	read := w.Read(in.event(in.Order), addr)
	read.Value, err = w.loaded(in, &in.Access, read.Value)
	w.set(in.Dst, read)
	return err
}

// set gives a register a value, if there is one.
func (w *walk) set(r Register, h path.Held) {
	if r != None {
		w.Set(r, h)
	}
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
	if v.Value, err = w.stored(in, &in.Access, v.Value); err != nil {
		return err
	}
	w.Write(in.event(in.Order), addr, v, nil)
	return nil
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
	first, last := in.atomic()
	read := w.Read(first, addr)
	old := read
	if old.Value, err = w.loaded(in, &in.Access, read.Value); err != nil {
		return err
	}
	if !in.Exchange {
		v.From = v.From.Union(old.From)
		if v.Value, err = w.apply(in, in.Op, in.Type, old.Value, v.Value); err != nil {
			return err
		}
	}
	if v.Value, err = w.stored(in, &in.Access, v.Value); err != nil {
		return err
	}
	w.Rmw(read, last, addr, v, nil)
	w.set(in.Dst, old)
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
	old := path.Held{Value: event.ReadOf(len(w.Path.Events)), From: path.Deps{len(w.Path.Events)}}
	if old.Value, err = w.loaded(in, &in.Access, old.Value); err != nil {
		return err
	}
	equal, err := w.apply(in, arith.Eq, in.Type, old.Value, expected.Value)
	if err != nil {
		return err
	}
	decides := old.From.Union(expected.From)
	fail := func(agree bool) {
		failed := ofC(w.Fork())
		failed.Assume(equal, agree)
		failed.Read(in.event(in.Failure), addr)
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
	first, last := in.atomic()
	read := w.Read(first, addr)
	w.finish(in, old, 1, decides)
	if v.Value, err = w.stored(in, &in.Access, v.Value); err != nil {
		return err
	}
	w.Rmw(read, last, addr, v, decides)
	return nil
}

// finish sets what a compare-exchange returns.
func (w *walk) finish(in *Swap, old path.Held, ok int64, decides path.Deps) {
	w.set(in.Old, old)
	w.set(in.OK, path.Held{Value: event.Const(event.Int(ok)), From: decides})
}

// branch goes on, or elsewhere if the condition does not hold.
func (w *walk) branch(in *Branch) error {
	cond, err := w.eval(in, in.Cond)
	if err == nil {
		w.Branch(cond, false, in.Otherwise, in.Join)
	}
	return err
}

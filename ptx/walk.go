package ptx

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// walk is the state of a thread on one control path.
type walk struct {
	*path.Walk[string]
	*thread
	vectors  int         // vector accesses so far
	agents   int         // asynchronous operations so far
	copied   groups      // those of cp.async
	bulked   groups      // those of cp.async.bulk
	products groups      // those of wgmma.mma_async
	fifth    tensorWork  // of tcgen05
	fencedAt int         // the events before are before the latest wgmma.fence
	barriers []event.Loc // mbarriers that the thread has initialised
}

var _ path.Stateful[string] = (*walk)(nil)

// start returns the thread at its beginning.
func (t *thread) start(opts frontend.Options) *path.Start[string] {
	return &path.Start[string]{Name: t.name, Thread: &walk{thread: t}, Registers: t.initial, Observed: t.observed, Options: opts}
}

// Copy copies the state of the walk for a walk that forks off.
func (w *walk) Copy(to *path.Walk[string]) path.Thread[string] {
	f := *w
	f.Walk = to
	return &f
}

// fork copies the walk; the copy goes on later.
func (w *walk) fork() *walk { return ofPTX(w.Walk.Fork()) }

// ofPTX returns the PTX state of a walk, or nil if there is no walk.
func ofPTX(w *path.Walk[string]) *walk {
	if w == nil {
		return nil
	}
	return w.Thread.(*walk)
}

// Step executes an instruction.
func (w *walk) Step(_ *path.Walk[string], pc int) error {
	return isa.Execute(w, w.code[pc])
}

// decide returns whether an expression is true on this path. If reads decide it, the walk assumes
// want, and other is a fork that assumes the opposite.
func (w *walk) decide(x event.Expr, want bool) (truth bool, other *walk) {
	truth, fork := w.Split(x, want)
	return truth, ofPTX(fork)
}

// operand returns the value of a source operand.
func (w *walk) operand(o *Operand) (path.Held, error) {
	switch o.Kind {
	case Immediate:
		return path.Held{Value: event.Const(event.Int(o.Int))}, nil
	case Location:
		return path.Held{Value: event.Const(event.AddressOf(o.Loc))}, nil
	}
	r, ok := w.Get(o.Text)
	if !ok {
		return r, unset(o, w.id)
	}
	return r, nil
}

// unset returns an error about a register of a thread that nothing has set yet.
func unset(o *Operand, thread int) *src.Diagnostic {
	if o.Text == carry {
		return src.Errorf(o.At, "no instruction has set the carry yet").WithHint("one with .cc does, such as add.cc.u32")
	}
	return src.Errorf(o.At, "register %s is used before it is declared or set", o.Text).
		WithHint("declare it in the initial state: %d:.reg .s32 %s;", thread, o.Text)
}

// set gives a register its value, computed with type t. It depends on the guard
// too: without it, the register would have kept its old value.
func (w *walk) set(dst *Operand, value event.Expr, t Type, from path.Deps) error {
	if declared, ok := w.types[dst.Text]; ok && declared.Bits == 64 && t.Bits == 32 {
		var err error
		if value, err = event.Apply(arith.Extend, t, value); err != nil {
			return err
		}
	}
	w.Walk.Set(dst.Text, path.Held{Value: value, From: from.Union(w.Guards)})
	return nil
}

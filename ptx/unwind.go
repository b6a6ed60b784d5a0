package ptx

import (
	"maps"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/language/unwind"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// walk is a thread on its way along one control path.
type walk struct {
	unwind.Walk[string, meeting]
	*thread
	regs     map[string]unwind.Held
	ctrl     unwind.Deps                                   // reads that decided a branch: every later event depends on them
	guard    unwind.Deps                                   // reads that decided the guard of the current instruction
	vectors  int                                           // vector accesses so far
	agents   int                                           // asynchronous operations so far
	copied   groups                                        // those of cp.async
	bulked   groups                                        // those of cp.async.bulk
	products groups                                        // those of wgmma.mma_async
	fifth    tensorWork                                    // of tcgen05
	fencedAt int                                           // the events before are before the latest wgmma.fence
	barriers []event.Loc                                   // mbarriers that the thread has initialised
	forks    *[]*walk                                      // where alternatives wait to be walked
	noted    func(at src.Span, x event.Expr, address bool) // see note; nil if nobody asks
}

// path is a control path with the barriers that the thread comes to.
type path = unwind.Path[meeting]

// follow walks every control path that begins with this walk.
func (w *walk) follow() ([]*path, error) {
	w.forks = &[]*walk{w}
	return unwind.Follow(w.forks)
}

// start is a walk at the beginning of the thread.
func (t *thread) start(opts frontend.Options) *walk {
	regs := map[string]unwind.Held{}
	for name, v := range t.initial {
		regs[name] = unwind.Held{Value: v}
	}
	return &walk{Walk: unwind.New[string, meeting](t.name, unwind.FindLoops(t.code, t.observed), opts), thread: t, regs: regs}
}

// fork copies the walk; the copy goes on later.
func (w *walk) fork() *walk {
	f := *w
	f.Walk = w.Walk.Fork()
	f.regs = maps.Clone(w.regs)
	*w.forks = append(*w.forks, &f)
	return &f
}

// forkWalk is fork, as rounds ask for it.
func (w *walk) forkWalk() *unwind.Walk[string, meeting] { return &w.fork().Walk }

// Run follows the path to its end (event.Ending), or until it is dropped.
func (w *walk) Run() error {
	for {
		on, err := w.Continues(len(w.code))
		if err != nil {
			return err
		}
		if !on {
			break
		}
		if !w.BeginRound(w.value, w.forkWalk) {
			break
		}
		in := w.code[w.PC]
		w.PC++
		if err := isa.Execute(w, in); err != nil {
			return err
		}
		w.guard = nil
	}
	w.Path.Finals = map[string]event.Expr{}
	for name, r := range w.regs {
		w.Path.Finals[name] = r.Value
	}
	return nil
}

// value is what a register holds.
func (w *walk) value(register string) event.Expr { return w.regs[register].Value }

// operand is the value of a source operand.
func (w *walk) operand(o *Operand) (unwind.Held, error) {
	switch o.Kind {
	case Immediate:
		return unwind.Held{Value: event.Const(event.Int(o.Int))}, nil
	case Location:
		return unwind.Held{Value: event.Const(event.AddressOf(o.Loc))}, nil
	}
	r, ok := w.regs[o.Text]
	if !ok {
		return r, unset(o, w.id)
	}
	return r, nil
}

// unset is an error about a register of a thread that nothing has set yet.
func unset(o *Operand, thread int) *src.Diagnostic {
	if o.Text == carry {
		return src.Errorf(o.At, "no instruction has set the carry yet").WithHint("one with .cc does, such as add.cc.u32")
	}
	return src.Errorf(o.At, "register %s is used before it is declared or set", o.Text).
		WithHint("declare it in the initial state: %d:.reg .s32 %s;", thread, o.Text)
}

// set gives a register its value, computed with type t. It depends on the guard
// too: without it, the register would have kept its old value.
func (w *walk) set(dst *Operand, value event.Expr, t Type, from unwind.Deps) error {
	if declared, ok := w.types[dst.Text]; ok && declared.Bits == 64 && t.Bits == 32 {
		var err error
		if value, err = event.Apply(arith.Extend, t, value); err != nil {
			return err
		}
	}
	w.regs[dst.Text] = unwind.Held{Value: value, From: from.Union(w.guard)}
	return nil
}

// event appends an event that depends on the given reads, and on those that decided that the thread
// comes to it. It returns the event's number.
func (w *walk) event(e event.Event, addr, data, ctrl unwind.Deps) int {
	return w.Event(e, addr, data, w.ctrl.Union(w.guard).Union(ctrl))
}

package path

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/barrier"
)

// Event appends an event of the instruction before PC and returns its number. It depends on the
// given reads, and on the reads that decided that the thread reaches it.
func (w *Walk[R]) Event(e event.Event, addr, data, ctrl Deps) int {
	ctrl = ctrl.Union(w.Guards)
	for _, c := range w.Controls {
		ctrl = ctrl.Union(c.From)
	}
	n := len(w.Path.Events)
	e.Instr = w.PC
	w.Path.Events = append(w.Path.Events, e)
	link := func(to *[]event.Pair, from Deps) {
		for _, r := range from {
			*to = append(*to, event.Pair{r, n})
		}
	}
	link(&w.Path.Addr, addr)
	link(&w.Path.Data, data)
	link(&w.Path.Ctrl, ctrl)
	return n
}

// Read appends a read and returns what it reads.
func (w *Walk[R]) Read(e event.Event, addr Held) Held {
	n := len(w.Path.Events)
	e.Kind, e.Addr, e.Data = event.Read, addr.Value, event.ReadOf(n)
	w.Event(e, addr.From, nil, nil)
	return Held{event.ReadOf(n), Deps{n}}
}

// Write appends a write and returns its number. ctrl is reads that decide that there is a write.
func (w *Walk[R]) Write(e event.Event, addr, data Held, ctrl Deps) int {
	e.Kind, e.Addr, e.Data = event.Write, addr.Value, data.Value
	return w.Event(e, addr.From, data.From, ctrl)
}

// Rmw appends the write of a read-modify-write, whose read Read has returned.
func (w *Walk[R]) Rmw(old Held, e event.Event, addr, data Held, ctrl Deps) {
	n := w.Write(e, addr, data, ctrl)
	w.Path.Rmw = append(w.Path.Rmw, event.Pair{old.From[0], n})
}

// Fence appends a fence.
func (w *Walk[R]) Fence(e event.Event) {
	e.Kind = event.Fence
	w.Event(e, nil, nil, nil)
}

// Meet appends a visit to a barrier after the events of the visit. If the thread waits, a path on
// which it waits for ever forks off; Meet returns it, or nil.
func (w *Walk[R]) Meet(v barrier.Visit) (stuck *Walk[R]) {
	w.Path.Visits = append(w.Path.Visits, v)
	if v.Wait == barrier.None {
		return nil
	}
	stuck = w.Fork()
	w.OneWay()
	stuck.Path.Ending = event.EndlessWait
	return stuck
}

// Results forks a path for each result of the latest visit from 0 to most, and has set store it in
// a register. The result of a barrier depends on other threads: package barrier leaves out the
// paths with results that do not occur.
func (w *Walk[R]) Results(most int, set func(*Walk[R], event.Expr) error) error {
	for result := most; result >= 0; result-- {
		here := w
		if result > 0 {
			here = w.Fork()
		}
		here.Path.Visits[len(here.Path.Visits)-1].Result = int64(result)
		if err := set(here, event.Const(event.Int(int64(result)))); err != nil {
			return err
		}
	}
	return nil
}

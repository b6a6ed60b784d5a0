package ptx

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A walk is a machine (isa.Machine): its values are expressions with the reads that they come from,
// memory is events, and a question that reads decide begins another path.
var _ isa.Machine[path.Held, *Instr] = (*walk)(nil)

// performances execute the instructions that access memory or meet other threads.
var performances = map[isa.Code]func(*walk, *Instr) error{
	isa.Ld: (*walk).load, isa.St: (*walk).store, isa.Atom: (*walk).atomic, isa.Red: (*walk).atomic,
	isa.Fence: (*walk).fence, isa.Membar: (*walk).fence, isa.Bar: (*walk).barrier, isa.Barrier: (*walk).barrier,
}

// Perform appends events. Instructions that only affect timing or announce accesses have no event.
func (w *walk) Perform(in *Instr) error {
	if in.Op.Form != nil {
		return in.page.perform(w, in)
	}
	if perform := performances[in.Op.Code]; perform != nil {
		return perform(w, in)
	}
	return nil
}

// Guard returns the guard of an instruction.
func (w *walk) Guard(in *Instr) (p path.Held, want, guarded bool, err error) {
	if in.Guard == nil {
		return p, false, false, nil
	}
	p, err = w.operand(&in.Guard.Reg)
	return p, !in.Guard.Negated, true, err
}

// Decide reports whether a predicate is true on this path. If reads decide it, the walk forks.
func (w *walk) Decide(in *Instr, p path.Held, want bool) (bool, error) {
	truth, other := w.decide(p.Value, want)
	if other != nil {
		other.Pass(in, p)
	}
	if truth == want {
		w.Guards = w.Guards.Union(p.From)
	}
	return truth == want, nil
}

// Pass passes over an instruction. What its register holds afterwards depends on the predicate all
// the same, and so does everything after a branch.
func (w *walk) Pass(in *Instr, p path.Held) {
	from := p.From.Union(w.Guards)
	if in.Target != nil {
		w.Depend(from, path.Never)
	}
	for _, d := range in.sets() {
		r, ok := w.Get(d.Text)
		if !ok {
			r.Value = event.Const(event.Int(0))
		}
		w.Walk.Set(d.Text, path.Held{Value: r.Value, From: r.From.Union(from)})
	}
}

// Sources evaluates the source operands of in.
func (w *walk) Sources(in *Instr) ([]path.Held, error) {
	args := make([]path.Held, len(in.Srcs))
	for i := range in.Srcs {
		var err error
		if args[i], err = w.operand(&in.Srcs[i]); err != nil {
			return nil, err
		}
		if in.Srcs[i].Not {
			if args[i].Value, err = w.apply(in, arith.Xor, arith.Bool, args[i].Value, event.Const(event.Int(1))); err != nil {
				return nil, err
			}
		}
	}
	return args, nil
}

// Compute returns an expression, which comes from all that the sources come from.
func (w *walk) Compute(in *Instr, sources []path.Held) (results [2]path.Held, err error) {
	values, from := separate(sources)
	xs, err := isa.Apply(expressions{w, in}, in.formula, values...)
	for i, x := range xs {
		results[i] = path.Held{Value: x, From: from}
	}
	return results, err
}

// separate returns the values of registers, and the union of the reads that they come from.
func separate(args []path.Held) (values []event.Expr, from path.Deps) {
	values = make([]event.Expr, len(args))
	for i, a := range args {
		values[i] = a.Value
		from = from.Union(a.From)
	}
	return values, from
}

// Set gives the destination its value. It depends on the guard too: without it, the register would
// have kept its old value.
func (w *walk) Set(in *Instr, results [2]path.Held) error {
	x, err := w.whole(in, in.result(), results[0].Value)
	if err != nil {
		return err
	}
	if len(in.More) > 0 { // the opposite of a comparison, or a carry
		if err := w.set(&in.More[0], results[1].Value, arith.Bool, results[1].From); err != nil {
			return err
		}
	}
	return w.set(in.Dst, x, in.result(), results[0].From)
}

// Jump goes to the target.
func (w *walk) Jump(in *Instr) error {
	w.Depend(w.Guards, path.Never)
	w.Walk.Jump(in.TargetPC)
	return nil
}

// End ends the thread.
func (w *walk) End(*Instr) error {
	w.PC = len(w.code)
	return nil
}

// combine returns an operation on what registers hold, and where that came from.
func (w *walk) combine(in *Instr, op arith.Op, t Type, args []path.Held) (event.Expr, path.Deps, error) {
	values, from := separate(args)
	x, err := w.apply(in, op, t, values...)
	return x, from, err
}

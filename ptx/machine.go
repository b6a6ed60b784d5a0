package ptx

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A walk is a machine (isa.Machine): its values are expressions with the reads that they come from,
// memory is events, and a question that reads decide begins another path.
var _ isa.Machine[register, *Instr] = (*walk)(nil)

// performances are what instructions do that access memory or meet other threads.
var performances = map[isa.Code]func(*walk, *Instr) error{
	isa.Ld: (*walk).load, isa.St: (*walk).store, isa.Atom: (*walk).atomic, isa.Red: (*walk).atomic,
	isa.Fence: (*walk).fence, isa.Membar: (*walk).fence, isa.Bar: (*walk).barrier, isa.Barrier: (*walk).barrier,
}

// Perform appends events. What only takes time or says what is used next has none.
func (w *walk) Perform(in *Instr) error {
	if perform := performances[in.Op.Code]; perform != nil {
		return perform(w, in)
	}
	return nil
}

// Guard is the guard of an instruction.
func (w *walk) Guard(in *Instr) (p register, want, guarded bool, err error) {
	if in.Guard == nil {
		return p, false, false, nil
	}
	p, err = w.operand(&in.Guard.Reg)
	return p, !in.Guard.Negated, true, err
}

// Decide says whether a predicate has a truth on this path; if the values of reads decide it, the
// other way is forked off.
func (w *walk) Decide(in *Instr, p register, want bool) (bool, error) {
	truth, known := w.truth(p.value)
	if !known {
		other := w.fork()
		other.assume(p.value, !want)
		other.Pass(in, p)
		other.guard = nil
		w.assume(p.value, want)
		truth = want
	}
	if truth == want {
		w.guard = w.guard.union(p.from)
	}
	return truth == want, nil
}

// Pass passes over an instruction. What its register holds afterwards depends on the predicate all
// the same, and so does everything after a branch.
func (w *walk) Pass(in *Instr, p register) {
	from := p.from.union(w.guard)
	if in.Target != nil {
		w.ctrl = w.ctrl.union(from)
	}
	if in.Dst != nil {
		r, ok := w.regs[in.Dst.Text]
		if !ok {
			r.value = event.Const(event.Int(0))
		}
		w.regs[in.Dst.Text] = register{r.value, r.from.union(from)}
	}
}

// Sources evaluates the source operands of in.
func (w *walk) Sources(in *Instr) ([]register, error) {
	args := make([]register, len(in.Srcs))
	for i := range in.Srcs {
		var err error
		if args[i], err = w.operand(&in.Srcs[i]); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// Compute is an expression, which comes from all that the sources come from.
func (w *walk) Compute(in *Instr, sources []register) (results [2]register, err error) {
	values, from := separate(sources)
	xs, err := isa.Apply(expressions{w, in}, in.formula, values...)
	for i, x := range xs {
		results[i] = register{x, from}
	}
	return results, err
}

// separate is what registers hold, and where all of it came from.
func separate(args []register) (values []event.Expr, from deps) {
	values = make([]event.Expr, len(args))
	for i, a := range args {
		values[i] = a.value
		from = from.union(a.from)
	}
	return values, from
}

// Set gives the destination its value. It depends on the guard too: without it, the register would
// have kept its old value.
func (w *walk) Set(in *Instr, results [2]register) error {
	x, err := w.whole(in, in.result(), results[0].value)
	if err != nil {
		return err
	}
	return w.set(in.Dst, x, in.result(), results[0].from)
}

// Jump goes to the target; goRound decides whether a backward branch is taken.
func (w *walk) Jump(in *Instr) error {
	w.ctrl = w.ctrl.union(w.guard)
	from := w.pc - 1
	if in.TargetPC <= from && !w.goRound(from, in.TargetPC) {
		return nil
	}
	w.pc = in.TargetPC
	return nil
}

// End ends the thread.
func (w *walk) End(*Instr) error {
	w.pc = len(w.code)
	return nil
}

// combine is an operation on what registers hold, and where that came from.
func (w *walk) combine(in *Instr, op arith.Op, t Type, args []register) (event.Expr, deps, error) {
	values, from := separate(args)
	x, err := w.apply(in, op, t, values...)
	return x, from, err
}

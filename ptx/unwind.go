package ptx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/arith"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Bounds on the control paths of one thread. A loop whose exit depends on memory has a
// path for each number of iterations, unless its rounds leave no trace (spin.go), and a
// predicated instruction doubles the paths.
const (
	maxPaths  = 1 << 14
	maxSteps  = 1 << 14 // instructions on one path
	maxEvents = 1 << 18 // events of all paths together
)

// stepsAStop is after how many instructions of a path frontend.Options.Stop is asked again.
const stepsAStop = 64

// deps is a set of reads of one thread, sorted: where a value or a decision comes
// from.
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

// register is what a register holds on a path and where that came from.
type register struct {
	value event.Expr
	from  deps
}

// walk is a thread on its way along one control path.
type walk struct {
	*thread
	opts    frontend.Options
	pc      int
	steps   int
	regs    map[string]register
	ctrl    deps                // reads that decided a branch: every later event depends on them
	guard   deps                // reads that decided the guard of the current instruction
	decided map[event.Expr]bool // what the path has assumed (decision)
	jumps   map[int]int         // how often each backward branch was taken
	dropped bool                // other paths have all that this one has
	idleAt  int                 // the branch at the end of the idle round, if the path has one
	rounds  map[int]round       // at each loop head, the state when the thread was last there
	vectors int                 // vector accesses so far
	path    *path
	forks   *[]*walk                                      // where alternatives wait to be walked
	noted   func(at src.Span, x event.Expr, address bool) // see note; nil if nobody asks
}

// path is a control path, and where it meets those of other threads.
type path struct {
	*event.Path
	meetings []meeting
	idle     bool // it goes on after a round of a loop without a trace (spin.go)
}

// paths walks every control path of the thread. All errors of all paths are
// collected, each place once.
func (t *thread) paths(opts frontend.Options) ([]*path, error) { return t.follow(t.start(opts)) }

// follow walks every control path that begins with the given walk.
func (t *thread) follow(first *walk) ([]*path, error) {
	var (
		forks = []*walk{first}
		paths []*path
		diags src.Diagnostics
		seen  = map[src.Span]bool{}

		events int
	)
	first.forks = &forks
	for len(forks) > 0 {
		w := forks[len(forks)-1]
		forks = forks[:len(forks)-1]
		err := w.run()
		d, wrong := err.(*src.Diagnostic)
		switch {
		case wrong:
			if !seen[d.Span] {
				seen[d.Span] = true
				diags.Add(d)
			}
			continue
		case err != nil:
			return nil, err
		case w.dropped:
			continue
		}
		paths = append(paths, w.path)
		if len(paths) > maxPaths {
			return nil, &frontend.PathLimitError{Thread: t.name, What: fmt.Sprintf("%d control paths", maxPaths)}
		}
		if events += len(w.path.Events); events > maxEvents {
			return nil, &frontend.PathLimitError{Thread: t.name, What: fmt.Sprintf("%d events on its control paths", maxEvents)}
		}
	}
	return paths, diags.Err()
}

func (t *thread) start(opts frontend.Options) *walk {
	regs := map[string]register{}
	for name, v := range t.initial {
		regs[name] = register{value: v}
	}
	return &walk{
		thread: t, opts: opts, regs: regs,
		decided: map[event.Expr]bool{}, jumps: map[int]int{}, rounds: map[int]round{},
		path: &path{Path: &event.Path{}},
	}
}

// fork copies the walk; the copy goes on later.
func (w *walk) fork() *walk {
	f := *w
	f.regs = maps.Clone(w.regs)
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
		if err := isa.Execute(w, in); err != nil {
			return err
		}
		w.guard = nil
	}
	w.path.Finals = map[string]event.Expr{}
	for name, r := range w.regs {
		w.path.Finals[name] = r.value
	}
	return nil
}

// decision is what a path decides when it assumes an expression. Comparisons for equality, by
// whatever instruction and either way round, decide that the values are equal, or that they are not.
func decision(x event.Expr) (what event.Expr, negated bool) {
	op, ok := x.(event.Op)
	if !ok || op.Code != arith.Eq && op.Code != arith.Ne {
		return x, false
	}
	negated = op.Code == arith.Ne
	op.Code, op.Type.Signed = arith.Eq, false
	return op, negated
}

// truth says whether an expression is true on this path, and whether that is known
// yet.
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

// operand is the value of a source operand.
func (w *walk) operand(o *Operand) (register, error) {
	switch o.Kind {
	case Immediate:
		return register{value: event.Const(event.Int(o.Int))}, nil
	case Location:
		return register{value: event.Const(event.AddressOf(o.Loc))}, nil
	}
	r, ok := w.regs[o.Text]
	if !ok {
		return r, src.Errorf(o.At, "register %s is used before it is declared or set", o.Text).
			WithHint("declare it in the initial state: %d:.reg .s32 %s;", w.id, o.Text)
	}
	return r, nil
}

// set gives a register its value, computed with type t. It depends on the guard
// too: without it, the register would have kept its old value.
func (w *walk) set(dst *Operand, value event.Expr, t Type, from deps) error {
	if declared, ok := w.types[dst.Text]; ok && declared.Bits == 64 && t.Bits == 32 {
		var err error
		if value, err = event.Apply(arith.Extend, t, value); err != nil {
			return err
		}
	}
	w.regs[dst.Text] = register{value, from.union(w.guard)}
	return nil
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
	link(&w.path.Ctrl, w.ctrl.union(w.guard).union(ctrl))
	return n
}

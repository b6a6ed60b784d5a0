// Package path follows the control paths of threads, and makes them into programs.
//
// A language gives a Thread: for each instruction, its successors (Next), the registers that it
// sets and reads (Uses), and its execution (Step). A Walk is a thread at a point of one path. Step
// tells the walk what the instruction does: it reads and writes memory, sets registers, branches,
// or reaches a barrier. Values are expressions over what reads return, because their writes are
// not known yet. A decision that depends on reads forks the walk. A path ends where the thread
// ends, where it waits or spins for ever, or where a loop exceeds its bound.
//
// Each access becomes an event, with its dependencies. One path of each thread makes a structure,
// and a Program goes through all combinations whose threads can meet at their barriers (package
// barrier).
//
//	Thread   the code of a thread in some language
//	Start    a thread before its first instruction: Follow walks all paths
//	Walk     a thread at a point of one path
//	Held     what a register holds, and the reads that it comes from
//	Path     a control path, with the visits to barriers
//	Program  the paths of all threads: structures, families, domain
package path

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/barrier"
	"github.com/muster-gpu/muster/src"
)

// Bounds on the control paths of one thread. A loop whose exit depends on memory has a path for
// each number of iterations, unless its rounds leave no trace (rounds.go). A predicated instruction
// doubles the paths.
const (
	maxPaths  = 1 << 14
	maxSteps  = 1 << 14 // instructions on one path
	maxEvents = 1 << 18 // events of all paths together
)

// stepsAStop is the number of instructions of a path between two calls of frontend.Options.Stop, if
// no path forks off.
const stepsAStop = 64

// Deps is a set of reads of one thread, sorted: where a value or a decision comes from.
type Deps []int

// Union returns the union of two sets.
func (d Deps) Union(e Deps) Deps {
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

// Held is the value of a register on a path, and the reads that it comes from.
type Held struct {
	Value event.Expr
	From  Deps
}

// Path is a control path, with the thread's visits to barriers.
type Path struct {
	*event.Path
	Visits []barrier.Visit
}

func (p *Path) track() barrier.Track {
	return barrier.Track{Visits: p.Visits, Endless: p.Ending == event.EndlessWait}
}

// Walk is a thread on its way along one control path.
type Walk[R comparable] struct {
	Thread   Thread[R]
	Path     *Path
	PC       int
	Opts     frontend.Options
	Controls []Control // decisions on which the next events depend
	Guards   Deps      // reads that decided that the thread executes this instruction; only its events depend on them

	name    string
	regs    map[R]Held
	forks   *[]*Walk[R]                 // walks to be walked later
	noted   func(int, event.Expr, bool) // see Note; nil if nothing is looked for
	loops   *loops[R]
	steps   int
	unasked int                 // steps since frontend.Options.Stop was asked
	decided map[event.Expr]bool // what the path has assumed (decision)
	equal   map[operand]event.Const
	jumps   map[int]int      // how often each backward branch was taken, up to the bound
	counted map[int]int      // and how often else, in loops that count
	forked  int              // how often the path has forked
	rounds  map[int]round[R] // at the point of each loop, the state when the thread was last there
	dropped bool             // other paths have all that this one has
	idleAt  int              // the branch at the end of the idle round, if the path has one
	back    int              // the backward branch by which the path has come, on the way to the point of its loop; -1 if it is not on one
}

// Control is the reads that decided a branch. Events depend on them up to the instruction where all
// ways of the branch join again, or to the end of the thread if that is Never.
type Control struct {
	From Deps
	Join int
}

// Never is the number of no instruction.
const Never = -1

// operand is an expression and the number of its low bits that matter.
type operand struct {
	x    event.Expr
	bits int
}

// follow is Follow with a function that is called by Walk.Note.
func (s *Start[R]) follow(noted func(pc int, x event.Expr, address bool)) ([]*Path, error) {
	w := &Walk[R]{
		Path: &Path{Path: &event.Path{}}, Opts: s.Options, name: s.Name, regs: make(map[R]Held, len(s.Registers)), noted: noted,
		loops: findLoops(s.Thread, s.Observed), unasked: stepsAStop, back: -1,
		decided: map[event.Expr]bool{}, equal: map[operand]event.Const{}, jumps: map[int]int{}, counted: map[int]int{}, rounds: map[int]round[R]{},
	}
	for r, x := range s.Registers {
		w.regs[r] = Held{Value: x}
	}
	forks := []*Walk[R]{w}
	w.forks = &forks
	w.take(s.Thread)
	var (
		paths  []*Path
		diags  src.Diagnostics
		seen   = map[src.Span]bool{}
		events int
	)
	for len(forks) > 0 {
		last := len(forks) - 1
		next := forks[last]
		forks = forks[:last]
		err := next.run()
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
		case next.dropped:
			continue
		}
		paths = append(paths, next.Path)
		if events += len(next.Path.Events); len(paths) > maxPaths {
			return nil, w.limit("%d control paths", maxPaths)
		}
		if events > maxEvents {
			return nil, w.limit("%d events on its control paths", maxEvents)
		}
	}
	return paths, diags.Err()
}

// take sets the thread of the walk: a copy of its own if the thread has state.
func (w *Walk[R]) take(t Thread[R]) {
	w.Thread = t
	if s, is := t.(Stateful[R]); is {
		w.Thread = s.Copy(w)
	}
}

// run follows the path to its end (event.Ending), or until it is dropped.
func (w *Walk[R]) run() error {
	guided, guides := w.Thread.(Guided)
	for {
		if guides && w.Path.Ending == event.Complete && !guided.Guide() {
			return nil
		}
		on, err := w.continues()
		if err != nil {
			return err
		}
		if !on {
			break
		}
		if w.Join(); !w.beginRound() {
			break
		}
		w.PC++
		w.Guards = nil
		if err := w.Thread.Step(w, w.PC-1); err != nil {
			return err
		}
	}
	if f, is := w.Thread.(Finished); is {
		finals, err := f.Finals()
		w.Path.Finals = finals
		return err
	}
	w.Path.Finals = make(map[string]event.Expr, len(w.regs))
	for r, held := range w.regs {
		w.Path.Finals[fmt.Sprint(r)] = held.Value
	}
	return nil
}

// continues reports whether the path goes on with the instruction at PC. The error is a
// *frontend.PathLimitError, or that of frontend.Options.Stop.
func (w *Walk[R]) continues() (bool, error) {
	if w.unasked++; w.Opts.Stop != nil && w.unasked > stepsAStop {
		w.unasked = 0
		if err := w.Opts.Stop(); err != nil {
			return false, err
		}
	}
	if w.PC >= w.Thread.Len() || w.Path.Ending != event.Complete || w.dropped {
		return false, nil
	}
	if w.steps++; w.steps > maxSteps {
		return false, w.limit("%d instructions on a control path", maxSteps)
	}
	return true, nil
}

// Fork returns a copy of the walk, which goes on later.
func (w *Walk[R]) Fork() *Walk[R] {
	w.forked++
	f := *w
	f.unasked = stepsAStop // short paths can be many
	f.regs, f.Controls = maps.Clone(w.regs), slices.Clone(w.Controls)
	f.decided, f.equal = maps.Clone(w.decided), maps.Clone(w.equal)
	f.jumps, f.counted = maps.Clone(w.jumps), maps.Clone(w.counted)
	f.rounds = maps.Clone(w.rounds)
	f.Path = &Path{w.Path.Clone(), slices.Clone(w.Path.Visits)}
	f.take(w.Thread)
	*w.forks = append(*w.forks, &f)
	return &f
}

// OneWay does not count the latest fork as a branch: it ends where it is, waiting for ever.
func (w *Walk[R]) OneWay() { w.forked-- }

// Drop ends the path without a trace: other paths have all that it has.
func (w *Walk[R]) Drop() { w.dropped = true }

// Get returns the value of a register, and false if nothing has set it.
func (w *Walk[R]) Get(r R) (Held, bool) {
	h, set := w.regs[r]
	return h, set
}

// Set gives a register a value.
func (w *Walk[R]) Set(r R, h Held) { w.regs[r] = h }

// Split returns the truth of an expression. If it depends on reads, this walk assumes the truth to
// be want, and other is a fork that assumes the opposite; otherwise other is nil.
func (w *Walk[R]) Split(x event.Expr, want bool) (truth bool, other *Walk[R]) {
	truth, known := w.Truth(x)
	if known {
		return truth, nil
	}
	other = w.Fork()
	other.Assume(x, !want)
	w.Assume(x, want)
	return want, other
}

// Jump makes the walk continue at another instruction. A jump backwards ends an iteration of a
// loop, and may end the path.
func (w *Walk[R]) Jump(to int) {
	if from := w.PC - 1; to > from || w.endRound(from) {
		w.PC = to
	}
}

// Branch jumps to another instruction if the condition has the given truth, and goes on otherwise.
// Events depend on the condition up to the instruction where both ways join.
func (w *Walk[R]) Branch(cond Held, truth bool, to, join int) {
	w.Depend(cond.From, join)
	is, other := w.Split(cond.Value, !truth)
	if other != nil {
		other.Jump(to)
	}
	if is == truth {
		w.Jump(to)
	}
}

// Depend makes the events up to an instruction depend on reads that decide a branch.
func (w *Walk[R]) Depend(from Deps, join int) {
	if len(from) == 0 {
		return
	}
	if i := slices.IndexFunc(w.Controls, func(c Control) bool { return c.Join == join }); i >= 0 {
		w.Controls[i].From = w.Controls[i].From.Union(from)
		return
	}
	w.Controls = append(w.Controls, Control{from, join})
}

// Join ends the dependencies on branches whose ways join at PC.
func (w *Walk[R]) Join() {
	w.Controls = slices.DeleteFunc(w.Controls, func(c Control) bool { return c.Join == w.PC })
}

// Note records that the instruction before PC computes an expression, or uses it as an address.
// Locate finds the instruction by this record.
func (w *Walk[R]) Note(x event.Expr, address bool) {
	if w.noted != nil {
		w.noted(w.PC-1, x, address)
	}
}

// limit is the error of a thread that has too much of something.
func (w *Walk[R]) limit(what string, most int) error {
	return &frontend.PathLimitError{Thread: w.name, What: fmt.Sprintf(what, most)}
}

// decision returns what a path decides when it assumes an expression. Any comparison for equality,
// in either order of operands, decides that the values are equal or that they are not.
func decision(x event.Expr) (what event.Expr, negated bool) {
	op, ok := x.(event.Op)
	if !ok || op.Code != arith.Eq && op.Code != arith.Ne {
		return x, false
	}
	negated = op.Code == arith.Ne
	op.Code, op.Type.Signed = arith.Eq, false
	return op, negated
}

// Truth returns whether an expression is true on this path, and whether that is known yet.
func (w *Walk[R]) Truth(x event.Expr) (truth, known bool) {
	if c, ok := x.(event.Const); ok {
		return event.Value(c).True(), true
	}
	what, negated := decision(x)
	if truth, known = w.decided[what]; !known && equalsItself(what) {
		truth, known = true, true
	}
	if !known {
		truth, known = w.computed(what)
	}
	return truth != negated, known
}

// equalsItself reports whether an expression compares the value of a read with itself, as the
// expected value of a successful compare-and-swap. It returns false for computed values: a
// computation may have no meaning.
func equalsItself(x event.Expr) bool {
	op, ok := x.(event.Op)
	if !ok || op.Code != arith.Eq || op.Args[0] != op.Args[1] {
		return false
	}
	_, ok = op.Args[0].(event.ReadOf)
	return ok
}

// computed returns the truth of an operation on values that the path has assumed to equal
// constants.
func (w *Walk[R]) computed(x event.Expr) (truth, known bool) {
	op, ok := x.(event.Op)
	if !ok {
		return false, false
	}
	for i, arg := range op.Args {
		if c, ok := w.equal[operand{arg, op.Type.Bits}]; ok {
			op.Args[i] = c
		}
	}
	v, err := op.Eval(func(int) (event.Value, bool) { return event.Value{}, false })
	return v.True(), err == nil
}

// Assume restricts the path to executions in which an expression has the given truth.
func (w *Walk[R]) Assume(x event.Expr, want bool) {
	what, negated := decision(x)
	w.decided[what] = want != negated
	if equal, ok := what.(event.Op); ok && equal.Code == arith.Eq {
		w.assumeEqual(equal, want != negated)
		equal.Args[0], equal.Args[1] = equal.Args[1], equal.Args[0]
		w.decided[equal] = want != negated
		w.assumeEqual(equal, want != negated)
	}
	w.Path.Conds = append(w.Path.Conds, event.Cond{X: x, Want: want})
}

// assumeEqual records that the first operand of a comparison equals the second if that is a
// constant.
func (w *Walk[R]) assumeEqual(equal event.Op, want bool) {
	if c, ok := equal.Args[1].(event.Const); ok && want {
		w.equal[operand{equal.Args[0], equal.Type.Bits}] = c
	}
}

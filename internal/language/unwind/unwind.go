// Package unwind follows the control paths of a thread. A front end says what an instruction does; what is
// the same in each of them is here: forks and what they assume, rounds of loops, dependencies, bounds.
//
//	Walk     a thread on its way along one path; a front end embeds it
//	Follow   walks all paths
//	Path     a control path, and where it meets those of other threads
//	Deps     the reads that a value or a decision comes from
//	Code     instructions, as far as loops are concerned
//	Loops    the loops of a thread, found in its code
//	Combine  one path of each thread, in every way
//	Family   the same, team by team: of threads that may meet
//	Meeting  how they do, as the front end says
package unwind

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/src"
)

// Bounds on the control paths of one thread. A loop whose exit depends on memory has a path for each
// number of iterations, unless its rounds leave no trace (rounds.go), and a predicated instruction
// doubles the paths.
const (
	maxPaths  = 1 << 14
	maxSteps  = 1 << 14 // instructions on one path
	maxEvents = 1 << 18 // events of all paths together
)

// stepsAStop is after how many instructions of a path frontend.Options.Stop is asked again, if no path forked off.
const stepsAStop = 64

// Deps is a set of reads of one thread, sorted: where a value or a decision comes from.
type Deps []int

// Union is what is in either set.
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

// Held is what a register holds on a path, and where that came from.
type Held struct {
	Value event.Expr
	From  Deps
}

// Path is a control path, and where it meets those of other threads: M is a meeting at a barrier.
type Path[M any] struct {
	*event.Path
	Meetings []M
}

// Walk is a thread on its way along one control path. R names registers.
type Walk[R comparable, M any] struct {
	Path *Path[M]
	PC   int
	Opts frontend.Options

	thread  string
	loops   *Loops[R]
	steps   int
	unasked int                 // steps since frontend.Options.Stop was asked
	decided map[event.Expr]bool // what the path has assumed (decision)
	equal   map[operand]event.Const
	jumps   map[int]int      // how often each backward branch was taken, up to the bound
	counted map[int]int      // and how often else, in loops that count
	forks   int              // how often the path has forked
	rounds  map[int]round[R] // at the point of each loop, the state when the thread was last there
	dropped bool             // other paths have all that this one has
	idleAt  int              // the branch at the end of the idle round, if the path has one
	back    int              // the backward branch by which the path has come, on the way to the point of its loop; -1 if it is not on one
}

// operand is an expression of which so many bits matter.
type operand struct {
	x    event.Expr
	bits int
}

// New is a walk at the beginning of a thread with the given name and loops.
func New[R comparable, M any](thread string, loops *Loops[R], opts frontend.Options) Walk[R, M] {
	return Walk[R, M]{
		Path: &Path[M]{Path: &event.Path{}}, Opts: opts, thread: thread, loops: loops, back: -1,
		decided: map[event.Expr]bool{}, equal: map[operand]event.Const{}, jumps: map[int]int{}, counted: map[int]int{}, rounds: map[int]round[R]{},
		unasked: stepsAStop,
	}
}

// Fork is a copy of the walk, to go on later.
func (w *Walk[R, M]) Fork() Walk[R, M] {
	w.forks++
	f := *w
	f.unasked = stepsAStop // short paths can be many
	f.decided, f.equal = maps.Clone(w.decided), maps.Clone(w.equal)
	f.jumps, f.counted = maps.Clone(w.jumps), maps.Clone(w.counted)
	f.rounds = maps.Clone(w.rounds)
	f.Path = &Path[M]{w.Path.Clone(), slices.Clone(w.Path.Meetings)}
	return f
}

// OneWay says that the latest fork ends where it is, waiting for ever: there is one way on.
func (w *Walk[R, M]) OneWay() { w.forks-- }

// Drop ends the path without a trace: other paths have all that it has.
func (w *Walk[R, M]) Drop() { w.dropped = true }

// Continues reports that the path goes on with the instruction at PC, where a thread has so many. The
// error is a *frontend.PathLimitError, or that of frontend.Options.Stop.
func (w *Walk[R, M]) Continues(instructions int) (bool, error) {
	if w.unasked++; w.Opts.Stop != nil && w.unasked > stepsAStop {
		w.unasked = 0
		if err := w.Opts.Stop(); err != nil {
			return false, err
		}
	}
	if w.PC >= instructions || w.Path.Ending != event.Complete || w.dropped {
		return false, nil
	}
	if w.steps++; w.steps > maxSteps {
		return false, w.limit("%d instructions on a control path", maxSteps)
	}
	return true, nil
}

// A Walker is a front end's walk, which embeds a Walk. Run follows it to the end of its path (Continues).
type Walker[R comparable, M any] interface {
	Run() error
	base() *Walk[R, M]
}

func (w *Walk[R, M]) base() *Walk[R, M] { return w }

// Follow walks every control path of a thread. The walks that wait are in forks: at the beginning
// the first of all, later what Run forks off. Diagnostics of all paths are collected, each place once;
// another error ends it.
func Follow[W Walker[R, M], R comparable, M any](forks *[]W) ([]*Path[M], error) {
	var (
		paths  []*Path[M]
		diags  src.Diagnostics
		seen   = map[src.Span]bool{}
		events int
	)
	for len(*forks) > 0 {
		last := len(*forks) - 1
		next := (*forks)[last]
		*forks = (*forks)[:last]
		err := next.Run()
		w := next.base()
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
		paths = append(paths, w.Path)
		if events += len(w.Path.Events); len(paths) > maxPaths {
			return nil, w.limit("%d control paths", maxPaths)
		}
		if events > maxEvents {
			return nil, w.limit("%d events on its control paths", maxEvents)
		}
	}
	return paths, diags.Err()
}

// limit is the error of a thread that has too much of something.
func (w *Walk[R, M]) limit(what string, most int) error {
	return &frontend.PathLimitError{Thread: w.thread, What: fmt.Sprintf(what, most)}
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

// Truth says whether an expression is true on this path, and whether that is known yet.
func (w *Walk[R, M]) Truth(x event.Expr) (truth, known bool) {
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

// equalsItself reports that an expression compares what a read returns with itself, as the expected value of a compare-and-swap
// that succeeded. Of what is computed the same is not known: it may have no meaning.
func equalsItself(x event.Expr) bool {
	op, ok := x.(event.Op)
	if !ok || op.Code != arith.Eq || op.Args[0] != op.Args[1] {
		return false
	}
	_, ok = op.Args[0].(event.ReadOf)
	return ok
}

// computed is Truth of an operation on what the path has assumed to equal constants.
func (w *Walk[R, M]) computed(x event.Expr) (truth, known bool) {
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

// Assume has the path go on only if an expression has that truth.
func (w *Walk[R, M]) Assume(x event.Expr, want bool) {
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

// assumeEqual notes that the first operand of a comparison equals the second if that is a constant.
func (w *Walk[R, M]) assumeEqual(equal event.Op, want bool) {
	if c, ok := equal.Args[1].(event.Const); ok && want {
		w.equal[operand{equal.Args[0], equal.Type.Bits}] = c
	}
}

// Event appends an event of the instruction before PC that depends on the given reads, and returns its number.
func (w *Walk[R, M]) Event(e event.Event, addr, data, ctrl Deps) int {
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

// Package ask asks whether something can go wrong when two threads execute what one was seen to do.
//
//	Asker        a trace, the threads that may be the other one, and what rules know
//	Question     whether two threads can be at two places under conditions; Finding: they can
//	Pair         two accesses of two threads
//	Rule         how threads synchronise, or how what they hold is related; see package rules
//	Conjunction  the conditions of a question
//
// A question becomes a conjunction: that the threads are where they are, the facts of each thread,
// what rules add, and instances of claims. Most are unsatisfiable when their terms are built;
// internal/solver/prove decides the others. Each part of a conjunction is there to exclude models,
// so that leaving one out makes a proof fail, and never an alarm vanish.
package ask

import (
	"fmt"
	"io"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// Config is the configuration of questions.
type Config struct {
	Rules        []*Rule
	Grid, Block  [3]int // the numbers of blocks and threads; -1 for any
	BarriersOnly bool   // all accesses but two atomic ones race that no barrier orders
	SameValue    bool   // two stores of the same value to the same place do not race
	Divergence   bool   // neither races nor assertions are asked about
	OneBlock     bool   // nothing is asked about threads of different blocks
	Lockstep     int    // consecutive threads that execute in lockstep; 0 for none
	Budget       int    // conflicts of the solver for a question
	Alarms       int    // the number of alarms to search
	Loops        Loops
	Source       Source
	Stop         func() bool
	// Dump, if it is not nil, is given each question for the solver.
	Dump func(question string, write func(io.Writer) error) error
	// Solver reports whether a question that exceeded the budget is unsatisfiable. It may be nil.
	Solver func(question func(io.Writer) error) (bool, error)
}

// Loops describes how loops were executed.
type Loops struct {
	Cut     bool // some were cut
	AllLong bool // all cut loops have a known number of iterations, which is too large
	Depth   int  // iterations before the last that claims about loops are proved from
}

// Source tells readers the places of instructions.
type Source interface {
	Where(*kernel.Instr) string
	Place(*kernel.Instr) []string // of the source, the innermost first if it was inlined
	Text(*kernel.Instr) string
}

// Bounds on questions.
const (
	maxPairs    = 200_000 // of accesses of a kernel
	SearchPairs = 3_000   // of those, where only alarms are looked for
	GuessBudget = 2_000   // conflicts of the solver for a question that is not about an alarm
)

// Asker asks about the trace of a thread.
type Asker struct {
	Config Config // which does not change

	prover    *prove.Prover
	trace     *trace.Trace
	threads   Threads
	vars      *Vars
	rules     instances     // what the rules have recognised
	complete  bool          // all rules have looked, not only those that are not late
	unordered bool          // some rule does not understand what it has found
	claims    []trace.Claim // that rules have made: they hold anywhere
	settled   bool          // it is known which guesses are true
	memo      memo
	sweep     *sweep
	stands    *stands // what the answers stand on
	found     *Found
}

// Found is the result of the questions.
type Found struct {
	Findings    []*Finding
	Obstacles   []Obstacle
	Assumptions []string
	Notes       []string
	Tally       Tally

	tell func(*Finding) // is told each at once
}

// New returns an asker with the rules that are not late.
func New(prover *prove.Prover, trace *trace.Trace, c Config) *Asker {
	a := &Asker{
		Config: c, prover: prover, trace: trace, rules: instances{all: make([]Instance, len(c.Rules))},
		vars: newVars(prover.Builder, trace), memo: newMemo(), found: &Found{tell: func(*Finding) {}},
	}
	a.threads = newThreads(prover.Builder, trace, a.vars)
	a.sweep, a.stands = &sweep{a: a, most: maxPairs}, newStands(a)
	a.recognise(false)
	return a
}

// Begin forgets all findings except the invariants. It calls tell with each new finding at once,
// while the terms of its question are the latest.
func (a *Asker) Begin(tell func(*Finding)) {
	a.found = &Found{tell: tell, Tally: Tally{Invariants: a.found.Tally.Invariants}}
}

// All asks everything, until there are enough alarms.
func (a *Asker) All() {
	a.Settle()
	if !a.complete {
		a.complete = true
		a.recognise(true)
	}
	for _, r := range a.rules.owes {
		if r.Duties(); a.Ended() {
			return
		}
	}
	if a.Config.Divergence || a.Ended() {
		return
	}
	assertions{a}.ask()
	if a.unordered || a.Ended() {
		return
	}
	for _, r := range a.rules.races {
		if r.Races(); a.Ended() {
			return
		}
	}
	a.sweep.races()
}

// Search looks for alarms among the pairs of accesses that take least.
func (a *Asker) Search() {
	a.sweep.most, a.sweep.breadthFirst = SearchPairs, true
	a.All()
}

// Ended reports whether there are enough alarms, or no more time.
func (a *Asker) Ended() bool { return len(a.found.Findings) >= a.Config.Alarms || a.Config.Stop() }

// Found returns the findings since Begin.
func (a *Asker) Found() *Found { return a.found }

// Trace returns the trace that the questions are about.
func (a *Asker) Trace() *trace.Trace { return a.trace }

// Terms returns the builder of the terms of questions.
func (a *Asker) Terms() *term.Builder { return a.prover.Builder }

// Conflicts returns the number of conflicts of the solver so far.
func (a *Asker) Conflicts() int { return a.prover.Conflicts() }

// Threads returns the other threads of questions.
func (a *Asker) Threads() Threads { return a.threads }

// Others returns the threads at other places, of other blocks, too, if these matter.
func (a *Asker) Others(ofBlocks bool) (all []*Thread) {
	if a.threads.SameBlock != nil {
		all = append(all, a.threads.SameBlock)
	}
	if a.threads.OtherBlock != nil && ofBlocks && !a.Config.OneBlock {
		all = append(all, a.threads.OtherBlock)
	}
	return all
}

// Vars returns the owners of variables.
func (a *Asker) Vars() *Vars { return a.vars }

// Settled reports whether the true guesses about loops are known. Until then, all guesses count as
// facts.
func (a *Asker) Settled() bool { return a.settled }

// Lane returns the number of the thread in its warp.
func (a *Asker) Lane() *term.Term {
	return a.prover.And(a.trace.Shape.Linear, a.prover.Const(31, 32))
}

// Claim adds a condition that holds in every question that mentions its variables.
func (a *Asker) Claim(holds *term.Term) { a.claims = append(a.claims, trace.Claim{Holds: holds}) }

// Open records a reason for an undecided verdict.
func (a *Asker) Open(at *trace.Point, help, format string, args ...any) {
	o := Obstacle{at.Instr, fmt.Sprintf(format, args...), help}
	if !slices.Contains(a.found.Obstacles, o) {
		a.found.Obstacles = append(a.found.Obstacles, o)
	}
}

// Assume records an assumption.
func (a *Asker) Assume(what string) { a.found.Assumptions = append(a.found.Assumptions, what) }

// AlarmedAbout reports whether there is an alarm about two instructions.
func (a *Asker) AlarmedAbout(first, other *kernel.Instr) bool {
	return a.memo.done[[2]*kernel.Instr{first, other}]
}

// Stands returns the assumptions that the answers rely on, besides those in the trace.
func (a *Asker) Stands() []string { return a.stands.list() }

// Assumptions lists what rules take for granted.
func (a *Asker) Assumptions() (all []string) {
	for _, r := range a.rules.assumes {
		all = append(all, r.Assumptions()...)
	}
	return all
}

// Fixed returns the number of elements of a size, and whether none of its dimensions is open.
func Fixed(size [3]int) (n int, fixed bool) {
	n = 1
	for _, d := range size {
		if d < 0 {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// Package exec executes one thread of a kernel for all inputs and all threads at once: what it
// computes are terms over the parameters of the kernel, the place of the thread, and what it reads.
// What the thread does and knows becomes a trace (package trace).
//
//	Run     executes a kernel
//	Config  how to execute it
//	Hooks   what is called on the way: contracts are checked and assumed by them
//	Moment  what a hook may ask and say
//
// Paths are merged where they meet: a register holds what it holds on either, chosen by the
// conditions of the paths (package guard). Loops are unrolled as long as there is a way back to the
// head, or cut: then one round stands for any. Calls are executed in place. What a thread reads
// from memory that it shares may be anything, unless no thread writes to it: then it is a function
// of the address.
//
// The parts of a run are its addresses, the place of the thread, its numbers, its accesses to
// memory, where it meets other threads, its copies, loops and calls, and the budget.
package exec

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// Launch is the number of blocks and threads.
type Launch struct {
	Grid, Block [3]int // -1 for any number up to the limit
	GridLimit   [3]int
	BlockLimit  [3]int
	Threads     int // of a block, at most; 0 for any number
}

// Limits bound what is executed.
type Limits struct {
	Rounds   int // of a loop whose end depends on what is not known
	Sure     int // of a loop whose rounds are sure to come; 0 for many
	Steps    int // instructions executed
	Unrolled int // those of loops that are unrolled; 0 for any number
}

// Params are the known facts about parameters.
type Params struct {
	Values map[string]uint64 // known values
	Least  map[string]int64  // that they are not below, as signed numbers
}

// Config is the configuration of an execution.
type Config struct {
	Launch Launch
	Limits Limits
	Params Params
	// Cut reports whether to cut a loop instead of unrolling it, given its first instruction, and
	// returns claims about it. It may be nil, for no loop.
	Cut func(loop *kernel.Instr) (claims []*trace.Invariant, cut bool)
	// Past is the number of earlier iterations that the proof of a claim assumes: k-induction with
	// k = Past + 1.
	Past int
	// Contents says what is known of an array.
	Contents    func(name string) Contents
	Bounds      bool        // accesses that leave a variable are checked for
	Branches    bool        // branches are noted
	PureExterns bool        // functions without a body return anything and do nothing else
	Functions   bool        // counts of bits are functions: Ones, Leading, Trailing
	Annotations Annotations // which calls that annotate the kernel count
	Hooks       *Hooks      // nil for none
	Stop        func() bool // asked now and then: whether to stop
	// Counted treats barriers that explicitly wait for all threads of the block as arrivals
	// (Trace.Arrivals), like barriers for some of them.
	Counted bool
	// Exact reports whether an instruction is assumed not to overflow where its result is widened
	// to 64 bits; nil if no instruction is.
	Exact func(*kernel.Instr) bool
}

// Annotations selects the annotating calls that count.
type Annotations uint8

// What Config.Annotations may be.
const (
	AllAnnotations Annotations = iota
	Candidates                 // invariants are guesses
	OnlyRequires               // preconditions only
	NoAnnotations
)

// Contents is what is known of the contents of an array.
type Contents uint8

// The knowledge of the contents of an array.
const (
	Changing Contents = iota // nothing
	Met                      // as Stable to weak loads: strong ones and atomics may meet writes without a race
	Calm                     // as Stable to all loads of the kernel; to those of annotations, nothing
	// between two barriers, other threads read what it held at the first: anything else is a race
	Stable
	Fixed // no thread writes to it
)

// Run executes a kernel. An error is a *Refusal.
func Run(b *term.Builder, module *kernel.Module, f *kernel.Function, c Config) (t *trace.Trace, err error) {
	m := newRun(b, module, f, c)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *trace.Refusal:
			err = r
		case error:
			switch r { //nolint:errorlint // a panic's value
			case guard.ErrStopped:
				err = &trace.Refusal{Instr: m.at, Why: r.Error(), Stopped: true}
				return
			case guard.ErrTooMany:
			default:
				panic(r)
			}
			err = &trace.Refusal{Instr: m.at, Why: r.Error(), Help: "a kernel with fewer branches on values of its own", Loops: m.loops.unrolled, Long: m.loops.long()}
		default:
			panic(r)
		}
	}()
	m.kernel(f)
	return &m.rec.Trace, nil
}

// refuse ends the execution.
func (m *run) refuse(help, format string, args ...any) {
	panic(&trace.Refusal{Instr: m.at, Why: fmt.Sprintf(format, args...), Help: help})
}

// tooLarge ends the execution where a bound is exceeded.
func (m *run) tooLarge(format string, args ...any) {
	panic(&trace.Refusal{Instr: m.at, Why: fmt.Sprintf(format, args...), Help: "a smaller launch, or fewer rounds of loops", Loops: m.loops.unrolled, Long: m.loops.long()})
}

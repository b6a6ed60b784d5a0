package path

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
)

// Thread is the code of a thread, with the effects of its instructions. R is the type of register
// names. The number after that of the last instruction is the end of the thread.
type Thread[R comparable] interface {
	Len() int
	// Next returns the instructions that may follow, or nil for the next one only. A jump backwards
	// ends an iteration of a loop.
	Next(pc int) []int
	// Uses returns the registers that an instruction overwrites, whatever they held before, and
	// those that it reads. It is called only for code with loops.
	Uses(pc int) (sets, reads []R)
	// Step executes an instruction. The walk then goes on after it, unless Step makes it jump. An
	// error that is a *src.Diagnostic ends this path only.
	Step(w *Walk[R], pc int) error
}

// Stateful is a thread with state on a path beyond its registers. Each walk has its own copy; Copy
// makes one for a walk that forks off.
type Stateful[R comparable] interface {
	Thread[R]
	Copy(*Walk[R]) Thread[R]
}

// Guided is a thread that chooses the next instruction itself: Guide sets PC before each step. It
// returns false if the walk ends there.
type Guided interface{ Guide() (on bool) }

// Finished is a thread that returns the values of its registers at the end of a path. By default,
// these are the values that Set gave them.
type Finished interface {
	Finals() (map[string]event.Expr, error)
}

// Start is a thread before its first instruction.
type Start[R comparable] struct {
	Name      string // for errors
	Thread    Thread[R]
	Registers map[R]event.Expr
	Observed  map[R]bool // registers whose values at the end matter
	Options   frontend.Options
}

// Follow walks every control path of the thread. The error is a src.Diagnostics with the errors of
// all paths, each place once; or a *frontend.PathLimitError, or that of Options.Stop.
func (s *Start[R]) Follow() ([]*Path, error) { return s.follow(nil) }

// Locate returns the instruction that computes the expression of a fault, or accesses memory at its
// address, as recorded by Walk.Note, and false if no instruction does. It walks the paths once
// more, so that expressions need no places.
func (s *Start[R]) Locate(f *event.Fault) (pc int, found bool) {
	_, _ = s.follow(func(at int, x event.Expr, address bool) {
		if !found && x == f.X && address == f.Address {
			pc, found = at, true
		}
	})
	return pc, found
}

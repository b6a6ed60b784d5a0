package trace

import (
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Barrier is a barrier that a thread reaches.
type Barrier struct {
	Point
	Scope  Scope
	Rounds []*term.Term // of the loops around it that are cut: threads meet here in the same
	Number *term.Term   // of a barrier of the block, which threads that meet must agree on; nil if it has none
}

// Scope is the set of threads that wait at a barrier.
type Scope uint8

// The scopes of barriers.
const (
	Warp Scope = iota
	Block
	Grid
)

// Arrival is the arrival of a thread at a barrier for a number of threads of the block (PTX ISA,
// "bar": the second operand). The threads may arrive at different instructions.
type Arrival struct {
	Point
	Number, Count *term.Term // the number of the barrier, and the number of threads
	Waits         bool       // it waits for the others
	Epoch         *term.Term // the number of barriers of the block that the thread has passed
}

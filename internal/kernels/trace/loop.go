package trace

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// Meeting is a loop that is cut and that has barriers.
type Meeting struct {
	Point               // a thread in any round
	Scope  Scope        // the scope of the threads that meet
	Rounds []*term.Term // which round it is in, those of the loops around that are cut first
	Again  *term.Term   // it begins another round after this one
	Last   *term.Term   // the round after which all leave
	// Next is the condition that it begins another iteration, and the values of agreed slots then.
	// What it says about inner loops is about their ends rather than about iterations that the
	// thread may be in.
	Next *term.Term
	// Passed is the number of barriers that are passed if it varies between iterations, or nil.
	Passed *Passing
}

// Parting is a loop that is cut, in which the lanes that masks name meet, but no whole warp. A lane
// that leaves it does not come to the places where others wait for it in a later iteration.
type Parting struct {
	Point               // a thread in any round
	Rounds []*term.Term // which round it is in, those of the loops around that are cut first
	Again  *term.Term   // it begins another round after this one
	Masks  []*term.Term // of the lanes that meet in it; nil is for one that rounds change
}

// Passing is the number of barriers that a thread has passed when an iteration of a loop begins,
// and the number in the iteration.
type Passing struct{ Before, Round [Memories]Epochs }

// Of returns the numbers of barriers that order an array.
func (p *Passing) Of(r *Region, scope Scope) (before, round *term.Term) {
	return p.Before[r.Memory()][scope], p.Round[r.Memory()][scope]
}

// Pipeline is a loop that is cut in which threads reach barriers of some of the threads of their
// block.
type Pipeline struct {
	Point                 // a thread in any round
	Round      *term.Term // which round it is in; after the loop, which was the last
	Again      *term.Term // it begins another round after this one
	First, End int        // the arrivals in it are those of the trace from the first to before the end
}

// Stretch is the part of an execution in which a thread counts its arrivals.
type Stretch struct {
	Pipeline int // the pipeline that it is in, or was in last; -1 for none
	After    bool
}

// Begin returns the value of Access.Arrived at the begin of the stretch.
func (s Stretch) Begin() uint64 {
	n := uint64(2*s.Pipeline + 1)
	if s.After {
		n++
	}
	return n * stretch
}

// stretch bounds the arrivals that a thread can count in one stretch.
const stretch = 1 << 32

// Arrivals returns the stretch and the number of arrivals in it that Access.Arrived encodes.
func Arrivals(arrived uint64) (s Stretch, n int) {
	k := int(arrived / stretch)
	return Stretch{(k+1)/2 - 1, k > 0 && k%2 == 0}, int(arrived % stretch)
}

// Inductive is an invariant of a loop as it is executed: once for each time that the loop is.
type Inductive struct {
	*Invariant
	Loop  *kernel.Instr // the first instruction
	Fact  int           // which of Trace.Facts takes it to hold
	Alive bool          // it is taken to hold
	Entry Check         // it holds in the first round
	Step  Check         // it holds in a round if it has held in the one before
	Head  *term.Term    // what is claimed of any round
	Past  []int         // which facts take it to have held in rounds before
}

// Invariant is a claim about a thread at the head of a loop that is cut, in any iteration. It is
// proved by induction: it must hold where the loop begins, and after an iteration if it held
// before. The caller of package exec gives invariants by exec.Config.Cut, and finds the proof
// obligations in Trace.Inductive.
type Invariant struct {
	Name string // as people read it
	// Family is the kind of a guess. A guess that is not proved is dropped. A claim of the kernel's
	// author has no family, and its checks are in Trace.Checks.
	Family string
	// Holds returns the claim as a truth value, or nil if it makes no sense here.
	Holds func(h *Head) *term.Term
}

// Head is a thread at the head of a loop. Registers are those of the loop's function.
type Head struct {
	*term.Builder
	Shape *Shape
	Now   func(Slot) *term.Term // what a slot holds; nil if that is anything
	First func(Slot) *term.Term // what it held where the loop began
	Round *term.Term            // the number of iterations so far, 64 bits
	// Passed is the number of barriers of the block that the thread has passed.
	Passed *term.Term
}

// Slot is a place whose value a thread keeps between iterations of a loop: a register, or a cell of
// its own memory.
type Slot struct {
	Register *kernel.Register // nil of a cell
	Variable *kernel.Variable // nil of a register
	Offset   int64
	Size     int // bytes
}

// String returns the slot as people read it.
func (s Slot) String() string {
	if s.Register != nil {
		return s.Register.Name
	}
	return fmt.Sprintf("[%s+%d]", s.Variable.Name, s.Offset)
}

// Width returns the number of bits of the slot.
func (s Slot) Width() int {
	if s.Register != nil {
		return Width(s.Register.Type)
	}
	return 8 * s.Size
}

package trace

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// Meeting is a loop that is cut and that has barriers.
type Meeting struct {
	Point               // a thread in any round
	Scope  Scope        // who meets
	Rounds []*term.Term // which round it is in, those of the loops around that are cut first
	Again  *term.Term   // it begins another round after this one
	Last   *term.Term   // the round after which all leave
	// Next is that it does, and what slots hold then in which all agree. What it says of loops
	// within is about their ends, and not about rounds of theirs in which the thread may be.
	Next *term.Term
	// Passed is how many barriers are passed, where it is not the same number in each round; else
	// nil.
	Passed *Passing
}

// Parting is a loop that is cut, in which the lanes meet that masks name, and no whole warp. A lane
// that leaves it does not come to where others wait for it in a later round.
type Parting struct {
	Point               // a thread in any round
	Rounds []*term.Term // which round it is in, those of the loops around that are cut first
	Again  *term.Term   // it begins another round after this one
	Masks  []*term.Term // of the lanes that meet in it; nil is for one that rounds change
}

// Passing is how many barriers a thread has passed when a round of a loop begins, and how many a
// round has.
type Passing struct{ Before, Round [Memories]Epochs }

// Of returns how many there are of those that order an array.
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

// Stretch is where a thread counts its arrivals from.
type Stretch struct {
	Pipeline int // the pipeline that it is in, or was in last; -1 for none
	After    bool
}

// Begin returns what Access.Arrived is where the stretch begins.
func (s Stretch) Begin() uint64 {
	n := uint64(2*s.Pipeline + 1)
	if s.After {
		n++
	}
	return n * stretch
}

// stretch is how many arrivals a thread can count in one.
const stretch = 1 << 32

// Arrivals returns where a thread has counted its arrivals from, and how many there were, as
// Access.Arrived says.
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

// Invariant is a claim about a thread at the head of a loop that is cut, in any round. It is proved
// by induction: it must hold where the loop begins, and after a round if it held before. Who
// executes a kernel gives invariants by exec.Config.Cut, and finds in Trace.Inductive what is to be
// proved.
type Invariant struct {
	Name string // as people read it
	// Family is what kind of guess it is. A guess that is not proved is given up; what is no guess
	// is a claim of the kernel's author, and has the checks of Trace.Checks.
	Family string
	// Holds is the claim as a truth value; nil if it makes no sense here.
	Holds func(h *Head) *term.Term
}

// Head is a thread at the head of a loop. Registers are those of the loop's function.
type Head struct {
	*term.Builder
	Shape *Shape
	Now   func(Slot) *term.Term // what a slot holds; nil if that is anything
	First func(Slot) *term.Term // what it held where the loop began
	Round *term.Term            // how many rounds have passed, 64 bits
	// Passed is how many barriers of the block the thread has passed.
	Passed *term.Term
}

// Slot is where a thread keeps something from round to round of a loop: a register, or a cell of
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

// Width returns how many bits it has.
func (s Slot) Width() int {
	if s.Register != nil {
		return Width(s.Register.Type)
	}
	return 8 * s.Size
}

package trace

import (
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Kind is the kind of an access.
type Kind uint8

// The kinds of access.
const (
	Load Kind = iota
	Store
	Atomic
)

// Point is an instruction as it is executed: with the calls that led to it, under a condition.
type Point struct {
	Instr  *kernel.Instr
	Calls  []*kernel.Instr // the outermost first
	Guard  *term.Term      // the thread comes here
	Facts  int             // the number of facts before it
	Claims int             // and of the claims
	Reads  int             // and of the reads
}

// Access is an access to memory that threads share.
type Access struct {
	Point
	Kind    Kind
	Region  *Region
	Offset  *term.Term           // bytes from the start of the region, 64 bits
	Size    int                  // bytes
	Unit    int                  // bytes of each memory operation that it is modelled as: isa.Opcode.Unit
	Values  []*term.Term         // of a store: the elements
	Epoch   [Grid + 1]*term.Term // by scope: the number of barriers that the thread has passed and that order the region
	Arrived *term.Term           // the number of barriers of Trace.Arrivals that the thread has reached; see Arrivals
	Step    uint64               // what an atomic that counts adds, else 0
	Amount  *term.Term           // what an atomic adds; nil if it does something else
	Swap    *Swap                // of an atomic that replaces what it finds; nil if it does something else
	Join    *Join                // of an atomic that goes one way; nil if it does something else
	Rounds  []*term.Term         // of the loops around it that are cut
	Strong  isa.Scope            // the scope of an access that is volatile, has an order, or is atomic; else NoScope
	// Volatile marks an access that is strong because it is volatile, or memory-mapped.
	Volatile bool
	// ReadOnly marks a load that assumes that no thread writes its memory while the kernel runs.
	ReadOnly bool
	Copy     *Part     // of an asynchronous copy, or nil
	Tile     *isa.Tile // the matrix that the lanes of a warp move together with this access, or nil
}

// Lines returns the number of lines of a matrix if lanes give but one address: then the access may
// be to any line. Else it is 0.
func (a *Access) Lines() int {
	if a.Tile == nil {
		return 0
	}
	return a.Tile.Lines
}

// Swap is an atomic that replaces the old value: exch and cas.
type Swap struct {
	Finds  *term.Term // it replaces this only; nil if it replaces anything
	Writes *term.Term
}

// Join is a monotone atomic: or, and, min, max. It never decreases the contents of memory, in the
// order whose join the operation is: a join b is b for all a that are no more than b.
type Join struct {
	Op   arith.Op
	Type arith.Type
	By   *term.Term
}

// After returns what such an atomic leaves where it finds something.
func (j *Join) After(b *term.Builder, found *term.Term) *term.Term {
	return b.Apply(j.Op, j.Type, found, j.By)
}

// Read is a value that is read from memory which threads share.
type Read struct {
	Point
	Region *Region
	Offset *term.Term
	Size   int
	Value  *term.Term
	Epoch  *term.Term   // the number of barriers of the block that the thread has passed and that order the region
	Step   uint64       // what an atomic that counts adds, else 0
	Amount *term.Term   // what an atomic adds; nil if it does something else
	Swap   *Swap        // of an atomic that replaces what it finds; nil if it does something else
	Join   *Join        // of an atomic that goes one way; nil if it does something else
	Rounds []*term.Term // of the loops around an atomic that are cut
}

// Held returns what the array of a read held at its place when all threads of the block had passed
// a number of barriers, or nil if the thread has not read what was there at the last one.
func (r *Read) Held(b *term.Builder, passed *term.Term) *term.Term {
	args := r.Value.Args()
	if r.Value.Op() != term.App || r.Value.Name() != HeldIn(r.Region, r.Size)+"@" || args[0] != r.Offset || args[1] != r.Epoch {
		return nil
	}
	args = slices.Clone(args)
	args[1] = passed
	return b.App(r.Value.Name(), r.Value.Width(), args...)
}

// Return is the result of a call of a function without a body.
type Return struct {
	Point
	Value *term.Term
}

// Branch is a branch that a thread reaches.
type Branch struct {
	Point
	Goes   *term.Term   // it takes it
	Rounds []*term.Term // of the loops around it that are cut
}

// Check is a condition that must hold when a thread reaches it.
type Check struct {
	Point
	What   string
	Holds  *term.Term
	With   Others
	Hook   bool         // a hook has noted it
	Rounds []*term.Term // of the loops around it that are cut: what it says of another thread is about the same rounds
}

// Others are the threads that the second thread of a check about two threads may be.
type Others uint8

// The other threads.
const (
	Anybody Others = iota
	SameBlock
	OtherBlock
)

// Convergence is an instruction that lanes of a warp execute together: those that its mask names
// (PTX ISA, "bar.warp.sync", "shfl.sync", "vote.sync"). Each of them reaches it, with the same
// mask.
type Convergence struct {
	Point
	Mask   *term.Term   // 32 bits
	Rounds []*term.Term // of the loops around it that are cut
	Before int          // the number of accesses before it
	Orders bool         // it is a barrier of the lanes; else they only exchange values
}

// Exchange is a value that a lane of a warp gets from another lane, its leader.
type Exchange struct {
	Point
	From   *term.Term   // the number of the leader among the lanes, of 32 bits and below 32
	There  *term.Term   // the mask names it, and the block has such a thread
	Value  *term.Term   // what the thread itself brings
	Got    *term.Term   // what the leader brings
	Rounds []*term.Term // of the loops around it that are cut
}

// Part is the part of a thread in an asynchronous copy of its block: any element of it. The threads
// of a block copy together, in any way. A thread has completed its part when it has waited for the
// event of the copy (6.12.10). If Own is set, the thread makes the whole copy alone (async.go).
type Part struct {
	Element *term.Term // which element
	// the number of barriers that the thread has passed when it has waited, or the largest possible
	// number if it never waits
	Lands    Epochs
	Own      bool      // the thread copies alone, and what it does meanwhile is not ordered with the copy
	Landings []Landing // of such a copy
}

// Landed returns the condition that a thread has waited for its copy when it reaches the access of
// that number.
func (p *Part) Landed(b *term.Builder, access int) *term.Term {
	landed := b.Bool(false)
	for _, l := range p.Landings {
		if l.After <= access {
			landed = b.Or(landed, l.When)
		}
	}
	return landed
}

// Landing is a wait of the thread for a copy that it has made.
type Landing struct {
	After int        // the number of accesses before it
	When  *term.Term // the condition that the thread comes here and waits for the copy
}

// Cell is an element of an array, under a condition.
type Cell struct {
	Region *Region
	Offset *term.Term
	Size   int
	When   *term.Term
}

// Permission lets a thread read an element of an array, and perhaps write it: no other thread may
// write it then.
type Permission struct {
	Cell
	Writes bool
	At     src.Span // where a contract gives it
}

// Holding is the permissions that a thread holds after a number of barriers.
type Holding struct {
	Passed *term.Term
	When   *term.Term // it comes to where it gets them
	All    []Permission
}

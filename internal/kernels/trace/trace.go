// Package trace is what one thread of a kernel does and knows, as data: terms over the parameters
// of the kernel, the place of the thread, and what it reads. Package exec fills it.
//
//	Trace     all of it: events in the order of the thread, facts, variables
//	Access    an access to memory that threads share; Barrier, Check … are other events
//	Point     where an event is, under which condition, and what is known there
//	Region    an array: a parameter that points to one, or a variable
//	Refusal   what is not modelled, and where
//	Recorder  writes a trace, and undoes what a round of a loop has written that is executed again
//
// A second thread is the first with its own variables (Trace.Private) renamed.
package trace

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// Trace is the execution of one thread.
type Trace struct {
	Accesses  []*Access // to memory that threads share
	Barriers  []*Barrier
	Arrivals  []*Arrival  // at barriers that wait for some of the threads of a block; see exec.Config.Counted
	Pipelines []*Pipeline // loops that are cut in which there are such
	Counts    bool        // some barrier says that it waits for all threads of the block
	Branches  []*Branch   // if exec.Config.Branches asks for them
	// Convergences are the meetings of lanes of a warp, except for barriers of a whole warp.
	Convergences []*Convergence
	Exchanges    []*Exchange // what lanes get from others
	Checks       []*Check
	Reads        []Read
	Returns      []Return
	Facts        []*term.Term // assumptions; each holds for what comes after it
	Claims       []Claim
	Given        []Claim      // what contracts and annotations take for granted, also where it has no variables
	Inductive    []*Inductive // invariants of loops that are cut
	Meetings     []*Meeting   // loops with barriers that are cut
	Partings     []*Parting   // loops that are cut in which some lanes of a warp meet
	Holdings     []*Holding   // which permissions a contract gives to the thread
	Frames       []Claim      // about what no thread writes between two barriers: they hold anywhere
	Geometry     []*term.Term // facts about the launch
	// Fits is the condition that a block has no more threads than a GPU allows. Few questions
	// depend on this fact, and it makes each harder.
	Fits    *term.Term
	Shape   Shape
	Params  []Param
	Private map[*term.Term]bool       // the variables that each thread has for itself
	Others  map[*term.Term]*term.Term // variables that stand for what a term is for the other thread
	Earlier map[*term.Term]Earlier    // variables that stand for accesses that the thread has made
	Havoc   map[*term.Term]bool       // variables and functions that stand for the state of a loop that was cut
	Loose   []*kernel.Instr           // first instructions of loops that were left before their end
	Long    []*kernel.Instr           // those of them that go on for sure
	Lost    *term.Term                // the thread goes on in a loop that was left: where it comes to is not known
	Astray  []*Refusal                // accesses to an unknown array
	// Partly is the first barrier that does not order all memory, asynchronous copy, or matrix that
	// lanes store together; or nil.
	Partly  *kernel.Instr
	Reduced *kernel.Instr // a barrier that gives all threads a value, or nil
	WarpID  *kernel.Instr // the first read of %warpid, or nil
	Notes   map[string]*kernel.Instr
	// Widened are the instructions whose results of 32 bits are widened, and may overflow.
	Widened []*kernel.Instr
	Flows   map[*kernel.Function]*kernel.Flow // of the functions that were executed
	// Carried are the cells that rounds of cut loops change, by the first instructions of the
	// loops.
	Carried map[*kernel.Instr][]Slot
	Loaded  map[*kernel.Instr]Slot // the cell that a load reads; it has no entry if the cell varies
}

// Drop ends the assumption of a claim.
func (t *Trace) Drop(claim *Inductive, nothing *term.Term) {
	claim.Alive = false
	for _, i := range append(claim.Past, claim.Fact) {
		t.Facts[i] = nothing
	}
}

// Shape is the launch and the place of a thread in it, each of 32 bits.
type Shape struct {
	Thread, Block   [3]*term.Term // %tid, %ctaid
	Cluster         [3]*term.Term // %clusterid; nil if the kernel does not say how large its clusters are
	Threads, Blocks [3]*term.Term // %ntid, %nctaid
	Linear          *term.Term    // which thread of its block it is: 32 consecutive ones are a warp
}

// Param is a parameter of the kernel, or a part of one, that has been read.
type Param struct {
	Variable *kernel.Variable
	Offset   int
	Size     int
	Term     *term.Term
}

// Claim is an assumption about all values of variables.
type Claim struct {
	Vars  []*term.Term
	Holds *term.Term
}

// Earlier is a variable for whether a thread has made an access of a kind to an array since the
// last barrier, or for its offset. It stands for each such access, or for no access.
type Earlier struct {
	Region *Region
	Kind   Kind
	Offset bool // the variable is the offset of the access
	Until  int  // of the accesses, those before this one are meant
	Epoch  *term.Term
}

// Refusal is something that is not modelled, with its place.
type Refusal struct {
	Instr *kernel.Instr // nil if it is the kernel as a whole
	Why   string
	Help  string
	// of what is too large: first instructions of the loops that were being unrolled, the outermost
	// first
	Loops []*kernel.Instr
	Long  bool // the innermost of them goes on for sure
	// Stopped reports whether Config.Stop ended the execution, so that nothing is wrong.
	Stopped bool
}

func (r *Refusal) Error() string { return r.Why }

// Names returns the condition that a mask of 32 bits names a lane.
func Names(b *term.Builder, mask, lane *term.Term) *term.Term {
	return b.Extract(b.LShr(mask, lane), 0, 1)
}

// Grown returns the difference of a term and another term that it is computed from.
func Grown(b *term.Builder, t, from *term.Term) *term.Term {
	known := map[*term.Term]*term.Term{} // choices have parts in common
	var grown func(t *term.Term) *term.Term
	grown = func(t *term.Term) *term.Term {
		if t.Op() != term.Ite {
			return b.Sub(t, from)
		}
		if known[t] == nil {
			x := t.Args()
			known[t] = b.Ite(x[0], grown(x[1]), grown(x[2]))
		}
		return known[t]
	}
	return grown(t)
}

// Opaque is the prefix of names of functions that stand for unmodelled results, and Unmodelled the
// prefix of such variables; the opcode follows it.
const (
	Opaque     = "float:"
	Unmodelled = "any:"
)

// External is the prefix of names of results of functions without a body.
const External = "extern:"

// The functions that stand for the number of ones in 32 bits, of zeros above the highest one, and
// of zeros below the lowest one, if Config.Functions is set. Gates are slow at counting. If lanes
// of a warp that vote find their places among those that do, or the first of them, most questions
// depend only on the argument of the count.
const (
	Ones     = "ones"
	Leading  = "leading-zeros"
	Trailing = "trailing-zeros"
)

// Variable returns the variable that a place in the launch is, or the round of a loop, in more
// bits; nil if it is a number.
func Variable(place *term.Term) *term.Term {
	if args := place.Args(); len(args) == 1 {
		return args[0]
	}
	return nil
}

// Variables returns the variables that places in the launch are.
func Variables(places ...*term.Term) map[*term.Term]bool {
	all := map[*term.Term]bool{}
	for _, p := range places {
		if v := Variable(p); v != nil {
			all[v] = true
		}
	}
	return all
}

func HeldIn(r *Region, size int) string { return fmt.Sprintf("%s[]:%d", r.Name, size) }

// Width returns the number of bits of a register.
func Width(typ string) int {
	switch digits := strings.TrimLeft(typ, "abcdefghijklmnopqrstuvwxyz"); digits {
	case "":
		return 1 // pred
	case "8":
		return 8
	case "16":
		return 16
	case "64":
		return 64
	case "128":
		return 128
	default: // 16x2 and kin, too
		return 32
	}
}

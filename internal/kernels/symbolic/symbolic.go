// Package symbolic executes one thread of a kernel for all inputs and all threads at once: what it
// computes are terms over the parameters of the kernel, the place of the thread, and what it reads.
//
//	Run     executes a kernel
//	Trace   what the thread does to memory that it shares with others, and where it waits for them
//	Region  an array: a parameter that points to one, or a variable
//	Refusal what is not modelled, and where
//
// Paths are merged where they meet: a register holds what it holds on either, chosen by the
// conditions of the paths (package guard). Loops are unrolled as long as there is a way back to the
// head; calls are executed in place. What a thread reads from memory that it shares may be
// anything, unless nobody writes to it: then it is a function of the address.
//
// A second thread is the first with its own variables (Trace.Private) renamed.
package symbolic

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Config says how to execute a kernel.
type Config struct {
	Grid, Block [3]int // how many blocks and threads; -1 for any number up to the limit
	GridLimit   [3]int
	BlockLimit  [3]int
	Threads     int // of a block, at most; 0 for any number
	Rounds      int // of a loop whose end depends on what is not known
	Sure        int // of a loop whose rounds are sure to come; 0 for many
	Steps       int // instructions executed
	Unrolled    int // those of loops that are unrolled; 0 for any number
	// Cut says which loops are to be cut instead of unrolled, by their first instructions, and what is claimed of
	// each; nil if none is.
	Cut func(loop *kernel.Instr) (claims []*Invariant, cut bool)
	// Past is how many rounds before it are looked at where a claim is to hold after a round: k-induction, with k one more.
	Past int
	// Contents says what is known of an array.
	Contents    func(name string) Contents
	Values      map[string]uint64 // of parameters that are known
	Least       map[string]int64  // that parameters are not below, as signed numbers
	Bounds      bool              // accesses that leave a variable are checked for
	Branches    bool              // branches are noted
	PureExterns bool              // functions without a body return anything and do nothing else
	Functions   bool              // counts of bits are functions: Ones, Leading, Trailing
	Annotations Annotations       // which calls that annotate the kernel count
	Hooks       *Hooks            // nil for none
	Stop        func() bool       // asked now and then: whether to stop
	// Counted has barriers that say that they wait for all threads of the block be arrivals (Trace.Arrivals), as those that wait for some are.
	Counted bool
	// Exact says of which instructions it is taken for granted that they do not overflow, where their results are widened
	// to 64 bits; nil if of none.
	Exact func(*kernel.Instr) bool
}

// Annotations says which calls that annotate a kernel count.
type Annotations uint8

// What Config.Annotations may be.
const (
	AllAnnotations Annotations = iota
	Candidates                 // invariants are guesses
	OnlyRequires               // preconditions only
	NoAnnotations
)

// Contents is what is known of what an array holds.
type Contents uint8

// What is known of what an array holds.
const (
	Changing Contents = iota // nothing
	Met                      // as Stable to weak loads: strong ones and atomics may meet writes without a race
	Calm                     // as Stable to all loads of the kernel; to those of annotations, nothing
	Stable                   // between two barriers, other threads read what it held at the first: anything else is a race
	Fixed                    // no thread writes to it
)

// Trace is what a thread does.
type Trace struct {
	Accesses  []*Access // to memory that threads share
	Barriers  []*Barrier
	Arrivals  []*Arrival  // at barriers that wait for some of the threads of a block; see Config.Counted
	Pipelines []*Pipeline // loops that are cut in which there are such
	Counts    bool        // some barrier says that it waits for all threads of the block
	Branches  []*Branch   // if Config.Branches asks for them
	// Convergences are where lanes of a warp meet, but for barriers of a whole warp.
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
	Frames       []Claim      // of what nobody writes between two barriers: they hold anywhere
	Geometry     []*term.Term // facts about the launch
	Fits         *term.Term   // a block has no more threads than it can have: a fact that hardly any question turns on, and that makes each harder
	Shape        Shape
	Params       []Param
	Private      map[*term.Term]bool       // the variables that each thread has for itself
	Others       map[*term.Term]*term.Term // variables that stand for what a term is for the other thread
	Earlier      map[*term.Term]Earlier    // variables that stand for accesses that the thread has made
	Havoc        map[*term.Term]bool       // variables and functions that stand for the state of a loop that was cut
	Loose        []*kernel.Instr           // first instructions of loops that were left before their end
	Long         []*kernel.Instr           // those of them that go on for sure
	Lost         *term.Term                // the thread goes on in a loop that was left: where it comes to is not known
	Astray       []*Refusal                // accesses of which it is not known to which array they are
	Partly       *kernel.Instr             // the first barrier that does not order all memory, asynchronous copy, or matrix that lanes store together; nil if there is none
	Reduced      *kernel.Instr             // a barrier that gives all threads a value; nil if there is none
	WarpID       *kernel.Instr             // the first read of %warpid; nil if there is none
	Notes        map[string]*kernel.Instr
	Widened      []*kernel.Instr                   // of numbers of 32 bits that are widened, and of which it is not known that they do not overflow
	Flows        map[*kernel.Function]*kernel.Flow // of the functions that were executed
	Carried      map[*kernel.Instr][]Slot          // the cells that rounds of loops that were cut change, by the first instructions of these
	Loaded       map[*kernel.Instr]Slot            // the cell that a load reads; none if it is not always the same
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

// Kind is what an access does.
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
	Facts  int             // how many of the facts have come before
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
	Epoch   [Grid + 1]*term.Term // how many barriers of each scope the thread has passed that order the region
	Arrived *term.Term           // at how many of the barriers of Trace.Arrivals the thread has been; see Arrivals
	Step    uint64               // what an atomic that counts adds; 0 if it is none
	Amount  *term.Term           // what an atomic adds; nil if it does something else
	Swap    *Swap                // of an atomic that replaces what it finds; nil if it does something else
	Join    *Join                // of an atomic that goes one way; nil if it does something else
	Rounds  []*term.Term         // of the loops around it that are cut
	Strong  isa.Scope            // the scope of an access that is volatile, has an order, or is atomic; else NoScope
	// Volatile is of an access that is strong because it is volatile, or memory-mapped.
	Volatile bool
	// ReadOnly is of a load that takes what it loads to be written by nobody while the kernel runs.
	ReadOnly bool
	Copy     *Part     // of an asynchronous copy; nil if it is none
	Tile     *isa.Tile // that the lanes of a warp move together, and of which this is a part; nil if it is none
}

// Barrier is a barrier that a thread comes to.
type Barrier struct {
	Point
	Scope  Scope
	Rounds []*term.Term // of the loops around it that are cut: threads meet here in the same
	Number *term.Term   // of a barrier of the block, which threads that meet must agree on; nil if it has none
}

// Arrival is a thread at a barrier that waits for so many of the threads of a block (PTX ISA, "bar": the second operand), wherever they come to it.
type Arrival struct {
	Point
	Number, Count *term.Term // which barrier, and how many threads
	Waits         bool       // it waits for the others
	Epoch         *term.Term // how many barriers of the block the thread has passed
}

// Branch is a branch that a thread comes to.
type Branch struct {
	Point
	Goes   *term.Term   // it takes it
	Rounds []*term.Term // of the loops around it that are cut
}

// Scope is who waits at a barrier.
type Scope uint8

// The scopes of barriers.
const (
	Warp Scope = iota
	Block
	Grid
)

// Check is something that must hold where a thread comes to it.
type Check struct {
	Point
	What   string
	Holds  *term.Term
	With   Others
	Hook   bool         // a hook has noted it
	Rounds []*term.Term // of the loops around it that are cut: what it says of another thread is about the same rounds
}

// Others says which threads the second one of a check may be, if it is about two.
type Others uint8

// The other threads.
const (
	Anybody Others = iota
	SameBlock
	OtherBlock
)

// Claim is an assumption about all values of variables.
type Claim struct {
	Vars  []*term.Term
	Holds *term.Term
}

// Read is a value that is read from memory which threads share.
type Read struct {
	Point
	Region *Region
	Offset *term.Term
	Size   int
	Value  *term.Term
	Epoch  *term.Term   // how many barriers of the block the thread has passed that order the region
	Step   uint64       // what an atomic that counts adds; 0 if it is none
	Amount *term.Term   // what an atomic adds; nil if it does something else
	Swap   *Swap        // of an atomic that replaces what it finds; nil if it does something else
	Join   *Join        // of an atomic that goes one way; nil if it does something else
	Rounds []*term.Term // of the loops around an atomic that are cut
}

// Swap is an atomic that replaces what it finds: exch and cas.
type Swap struct {
	Finds  *term.Term // it replaces this only; nil if it replaces anything
	Writes *term.Term
}

// Join is an atomic that goes one way: or, and, min, max. What memory holds after it is at least what it was, in the order of which that is the
// join: a join b is b for all a that are no more than b.
type Join struct {
	Op   arith.Op
	Type arith.Type
	By   *term.Term
}

// After is what such an atomic leaves where it finds something.
func (j *Join) After(b *term.Builder, found *term.Term) *term.Term {
	return b.Apply(j.Op, j.Type, found, j.By)
}

// Return is what a call of a function without a body returns.
type Return struct {
	Point
	Value *term.Term
}

// Region is memory: an array that threads share, or one of a thread's own.
type Region struct {
	Name     string // of the parameter or the variable, with an offset if the pointer is a part of one
	Space    isa.Space
	Variable *kernel.Variable // nil for a pointer
	Pointer  bool             // a parameter is sure to be a pointer
	private  bool             // a thread's own
	entry    bool             // the parameters of the kernel
	null     bool             // no array: addresses that are numbers
	align    int              // of what a parameter points to; 0 if it does not say
}

// Refusal is what is not modelled, and where.
type Refusal struct {
	Instr *kernel.Instr // nil if it is the kernel as a whole
	Why   string
	Help  string
	Loops []*kernel.Instr // of what is too large: first instructions of the loops that were being unrolled, the outermost first
	Long  bool            // the innermost of them goes on for sure
	// Stopped is that nothing is wrong, but that Config.Stop has ended the execution.
	Stopped bool
}

func (r *Refusal) Error() string { return r.Why }

// Run executes a kernel. An error is a *Refusal.
func Run(b *term.Builder, module *kernel.Module, f *kernel.Function, c Config) (trace *Trace, err error) {
	m := newRun(b, module, f, c)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal:
			err = r
		case error:
			switch r { //nolint:errorlint // a panic's value
			case guard.ErrStopped:
				err = &Refusal{Instr: m.at, Why: r.Error(), Stopped: true}
				return
			case guard.ErrTooMany:
			default:
				panic(r)
			}
			err = &Refusal{Instr: m.at, Why: r.Error(), Help: "a kernel with fewer branches on values of its own", Loops: m.loops.unrolled, Long: m.loops.long()}
		default:
			panic(r)
		}
	}()
	m.kernel(f)
	return &m.rec.trace, nil
}

// refuse ends the execution.
func (m *run) refuse(help, format string, args ...any) {
	panic(&Refusal{Instr: m.at, Why: fmt.Sprintf(format, args...), Help: help})
}

// tooLarge ends the execution where a bound is exceeded.
func (m *run) tooLarge(format string, args ...any) {
	panic(&Refusal{Instr: m.at, Why: fmt.Sprintf(format, args...), Help: "a smaller launch, or fewer rounds of loops", Loops: m.loops.unrolled, Long: m.loops.long()})
}

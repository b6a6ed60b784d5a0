package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Verdict is the result of Verify for a kernel.
type Verdict uint8

// The verdicts.
const (
	Undecided Verdict = iota // see Result.Open
	Verified                 // under Result.Assumptions
	Alarmed                  // see Result.Alarms
)

func (v Verdict) String() string { return [...]string{"undecided", "verified", "alarm"}[v] }

// Result is the answer for a kernel.
type Result struct {
	Kernel      *kernel.Function
	Module      *kernel.Module
	Launch      Launch
	Config      Config // what was asked
	Verdict     Verdict
	Alarms      []*Alarm
	Open        []Reason // why there is no verdict
	Assumptions []string // what Verified relies on, beyond the semantics of PTX
	Notes       []string // what the reader may want to know: no shared access is left …
	Promises    []string // of the host, if they are all that Verified needs: "n >= 0"
	Stats       Stats
}

// Reason is a reason why a kernel is undecided.
type Reason struct {
	Instr *kernel.Instr // where; nil if it is the kernel as a whole
	Why   string
	Help  string // what would help; "" if nothing is known to
}

// Ended records that a result is incomplete because the context is done.
func (r *Result) Ended(ctx context.Context) {
	switch {
	case ctx.Err() == nil || r.Verdict == Verified:
	case r.Verdict == Alarmed:
		r.Notes = append(r.Notes, fmt.Sprintf("%v: there may be more to say", context.Cause(ctx)))
	default:
		r.Open = append(r.Open, Reason{Why: context.Cause(ctx).Error()})
	}
}

// Doubt turns an alarm that depends on something unmodelled, and that no launch shows, into a
// reason why the kernel is undecided.
func (r *Result) Doubt(a *Alarm) {
	r.Alarms = slices.DeleteFunc(r.Alarms, func(b *Alarm) bool { return a == b })
	r.Open = append(r.Open, Reason{
		a.Points[0].Instr, fmt.Sprintf("whether this can be %s depends on %s, which is not modelled, and no launch shows it", a.Kind.sentence(), a.Unmodelled),
		"to compute in integers",
	})
	if len(r.Alarms) == 0 {
		r.Verdict = Undecided
	}
}

// Stats counts what was done.
type Stats struct {
	Accesses   int // to memory that threads share, loops unrolled and calls inlined
	Barriers   int
	Pairs      int // of accesses that could be a race by their arrays and kinds
	Simple     int // questions that simplification has answered
	Questions  int // questions for the solver
	Conflicts  int // that the solver has met
	Invariants int // that were found and proved of loops which were cut
	Terms      int
}

// AlarmKind is the kind of error of an alarm.
type AlarmKind uint8

// The kinds of alarm.
const (
	Race       = AlarmKind(ask.Race)
	Divergence = AlarmKind(ask.Divergence) // threads of a block do not reach the same barriers
	Assertion  = AlarmKind(ask.Assertion)  // an annotation does not hold
)

func (k AlarmKind) String() string {
	return [...]string{"race", "barrier divergence", "assertion"}[k]
}

// sentence returns the kind as a part of a sentence.
func (k AlarmKind) sentence() string { return ask.Kind(k).Sentence() }

// Alarm is a launch with two threads (for an assertion, one or two) that goes wrong.
type Alarm struct {
	Kind     AlarmKind
	What     string // of an assertion: which annotation; of a race: what is known beyond the level of barriers
	Contract bool   // of an assertion: it is one of the contract
	Launch   Launch // with the sizes that were left open chosen
	Hinges   string // a function without a body whose result the alarm depends on, or ""
	// Points are the positions of the threads. In a race, they are the two accesses; in a
	// divergence, the barrier that the first thread reaches and the second does not; in a failed
	// assertion, the annotation.
	Points []Point
	Params []Value // the parameters of the kernel and other values that all threads share
	Reads  []Read  // what the threads have read, and no store of their own explains, in program order
	// Returns are the values that functions without a body have returned to the threads, in program
	// order.
	Returns []Return
	// Unmodelled is an opcode with an unmodelled result that the alarm depends on, so that only a
	// launch shows that it happens, or "".
	Unmodelled string
	Replay     string // what a launch of it has shown, or why it shows nothing; "" without a launch (package replay)
	Litmus     string // a file with the litmus test of it, or ""
}

// Point is a thread at an instruction.
type Point struct {
	Thread, Block [3]uint64
	Instr         *kernel.Instr
	Calls         []*kernel.Instr // the calls that led there, the outermost first
	Access        *Access         // nil if it does not access memory
}

// AccessKind is the kind of an access.
type AccessKind uint8

// The kinds of access.
const (
	Load   = AccessKind(trace.Load)
	Store  = AccessKind(trace.Store)
	Atomic = AccessKind(trace.Atomic)
)

func (k AccessKind) String() string { return [...]string{"read", "write", "atomic"}[k] }

// Access is an access to memory in an alarm.
type Access struct {
	Kind   AccessKind
	Array  Array
	Offset int64     // bytes from the start of the array
	Size   int       // bytes
	Unit   int       // bytes of each memory operation that it is modelled as: less than Size for vectors and packed types
	Value  uint64    // what is written, the first 8 bytes; 0 for a read
	Strong isa.Scope // the scope of an access that is volatile, relaxed, acquire, release or atomic
}

// Array is a part of memory by its name in the PTX: a parameter of the kernel that points to it, or
// a variable.
type Array struct {
	Name  string
	Space isa.Space
	Param bool // Name is a parameter, or a part of one: "p" or "p+8"
}

// Value is the value of something that all threads share: a parameter of the kernel.
type Value struct {
	Name   string
	Offset int // bytes, within the parameter
	Size   int // bytes
	Bits   uint64
}

// Return is the value that a function without a body has returned to a thread.
type Return struct {
	Of    int           // which of the alarm's Points
	Instr *kernel.Instr // the call
	Bits  uint64
}

// Read is a value that a thread has read from an array.
type Read struct {
	Of     int // which of the alarm's Points
	Instr  *kernel.Instr
	Array  Array
	Offset int64
	Size   int
	Bits   uint64
}

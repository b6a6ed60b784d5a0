// Package event is the events of a litmus test, and candidate executions over them (ASPLOS 2015,
// Sec. 5.1).
//
//	Event      a read, a write, a fence or a barrier of one thread, or an initial write
//	Expr       a value as an expression over the values that reads return
//	Structure  what the program fixes for one choice of control paths: events, po,
//	           dependencies, fences, placement, path conditions
//	Family     Structures whose threads take paths independently of each other
//	Execution  a Structure plus a witness: rf, co, and the values they entail
//	Vocabulary the sets and relations that a model may mention: a Name for each
//
// Events are dense integers; they have names only in print. No instruction set appears here: front
// ends build Structures, and mark events with Tags of their own; package enumerate completes
// Structures to Executions.
package event

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/rel"
)

// ID is an event of a Structure: an index into its Events.
type ID = int

// InitThread is the thread of initial writes, which belong to none.
const InitThread = -1

// Kind is the kind of an event.
type Kind uint8

// The kinds.
const (
	Read Kind = iota
	Write
	Fence
	Barrier
)

func (k Kind) String() string { return [...]string{"R", "W", "F", "B"}[k] }

// Scope is the scope of a fence, a barrier or a scoped access.
type Scope uint8

// The scopes, narrowest first.
const (
	ScopeNone   Scope = iota
	ScopeThread       // a work-item of OpenCL
	ScopeCTA          // a block of CUDA, a work-group of OpenCL
	ScopeCluster
	ScopeGPU // written .gl in membar
	ScopeSys
)

func (s Scope) String() string { return [...]string{"", "thread", "cta", "cluster", "gpu", "sys"}[s] }

// Order is the memory ordering of a scoped access or fence (PTX ISA, "Memory
// Consistency Model").
type Order uint8

// The orders.
const (
	OrderNone Order = iota
	Weak
	Relaxed
	Acquire
	Release
	AcqRel
	SC
)

func (o Order) String() string {
	return [...]string{"", "weak", "relaxed", "acquire", "release", "acq_rel", "sc"}[o]
}

// OfRmw returns the orders of the read and of the write of a read-modify-write with an order: it
// acquires by its read, and releases by its write (PTX ISA, "Release and Acquire Patterns").
func (o Order) OfRmw() (read, write Order) {
	switch o {
	case Acquire:
		return Acquire, Relaxed
	case Release:
		return Relaxed, Release
	case AcqRel:
		return Acquire, Release
	}
	return o, o
}

// Loc is a memory location: an index into Structure.Locs.
type Loc = int

// NoLoc is the location of fences and barriers.
const NoLoc Loc = -1

// Location describes a location of a Structure. The elements of an array are consecutive locations;
// Elems bounds the offsets from each.
type Location struct {
	Name   string
	Region int // the number of its region, as the language counts them
	Init   Value
	Elems  int // the number of elements of an array from this one on; 0 for a scalar
	// Home is the place that the memory belongs to: the number of the place at HomeLevel, plus one.
	// It is 0 if the memory belongs to no place, or if the test does not say to which.
	Home, HomeLevel int
	Rank            int // of shared memory, the rank of its CTA in the cluster
	Alias           *Alias
}

// Alias makes a location another name of a location or of an alias.
type Alias struct {
	Of Loc
	// Through is the proxy by which the alias reaches the virtual address of Of (PTX ISA,
	// "Proxies"); "" if the alias is a virtual address of its own ("Aliases").
	Through string
}

// ElemSize is the distance in bytes between the elements of an array.
const ElemSize = 4

// Resolve finds the location at an address.
func Resolve(locs []Location, v Value) (Loc, error) {
	if v.IsOpaque() {
		return NoLoc, errors.New("what is opaque is used as an address")
	}
	if !v.IsAddress() {
		return NoLoc, fmt.Errorf("%d is used as an address; only locations have addresses", v.Int)
	}
	elem := v.Int / ElemSize
	if v.Int%ElemSize != 0 || elem < 0 || elem >= int64(max(1, locs[v.Base].Elems)) {
		name, _, array := strings.Cut(locs[v.Base].Name, "[")
		err := fmt.Errorf("the address %s%+d is not that of a location of the test", name, v.Int)
		if !array && elem > 0 {
			err = fmt.Errorf("%w: %s is no array; an array is declared in the initial state, %s[4]", err, name, name)
		}
		return NoLoc, err
	}
	return v.Base + Loc(elem), nil
}

// Physical returns the location that a name stands for.
func Physical(locs []Location, l Loc) Loc {
	for locs[l].Alias != nil {
		l = locs[l].Alias.Of
	}
	return l
}

// Virtual returns an identifier of the virtual address of a name: it is equal for two names if and
// only if they have the same virtual address.
func Virtual(locs []Location, l Loc) Loc {
	for locs[l].Alias != nil && locs[l].Alias.Through != "" {
		l = locs[l].Alias.Of
	}
	return l
}

// Event is a node of a candidate execution.
type Event struct {
	Thread int  // index into Structure.Threads, or InitThread
	Addr   Expr // the address of an access; nil for a fence or barrier
	Data   Expr // what a write stores, or what a read returns; nil for a fence or barrier

	Kind     Kind
	Volatile bool
	Atomic   bool // belongs to an atomic read-modify-write
	Poll     bool // a read that tells that an object is not in some state yet: it races with nothing
	Scope    Scope
	Order    Order
	Tags     Tags   // annotations of the front end
	Vector   int    // elements of one vector access share a number, not 0, and have no order
	Part     int    // of such an access, the number of the element, from 1, if that is an atomic: its events have an order
	Agent    int    // of an asynchronous operation, its number in its thread; 0 for what the thread does itself
	Mnemonic string // the instruction as muster writes it, e.g. "membar.cta"
	Barrier  string // of an event of a barrier, what people call that barrier, e.g. "barrier 0"
	Instr    int    // its number in the code of the thread, from 1; 0 for initial writes
}

// Tags are annotations of events, as bits whose meaning is private to a front end.
type Tags uint64

// IsInit reports whether e is an initial write.
func (e *Event) IsInit() bool { return e.Thread == InitThread }

// IsMem reports whether e accesses memory.
func (e *Event) IsMem() bool { return e.Kind == Read || e.Kind == Write }

// Thread is a thread, and where it runs.
type Thread struct {
	Name string // as in the test: "T0"
	// At is the number of the thread's place at each level of the machine, the widest first.
	// Threads share a place if the numbers are equal. All threads of a structure have the same
	// number of levels.
	At []int
}

// Reg names a register of a thread.
type Reg struct {
	Thread int
	Name   string
}

// Cond is a condition of a control path: the truth of X (non-zero) must be Want.
type Cond struct {
	Thread int
	X      Expr
	Want   bool
}

// Structure is what the program fixes once each thread has chosen a control path. It is shared by
// the executions built on it and must not change. It memoises relations, so goroutines must not
// share it.
type Structure struct {
	Events  []Event // initial writes first, then thread by thread in program order
	First   []ID    // the first event of each thread
	Locs    []Location
	Threads []Thread
	Paths   []*Path // which each thread takes (Join)
	// Shape identifies the structures that differ only in Locs and Threads, because threads and
	// locations are at other places. It is nil if there are no others.
	Shape *Structure
	// Combination is the number of combinations of control paths that come before this one, in the
	// order in which a front end yields their structures.
	Combination int

	Po, Addr, Data, Ctrl, Rmw rel.Rel

	// Issue, Within and Complete order the events of asynchronous operations, which are not in
	// program order: see Path.
	Issue, Within, Complete []Pair

	Conds []Cond // what the values must satisfy for the paths to be taken

	// State prints the states of objects (Opaque). It is nil if there are no objects.
	State func(int64) string
	// Vocabulary is the names that models may mention; nil for those of this package.
	Vocabulary *Vocabulary
	// Rels are the relations that the front end adds (Added), under the names that models use. A
	// relation that is absent is empty.
	Rels map[string]rel.Rel

	// Truncated reports whether a path was cut at the unroll bound: its executions are beginnings
	// of longer ones and have no final state.
	Truncated bool
	// Stuck reports whether some thread never terminates: it waits at one of the barriers Wait, or
	// spins. The execution hangs if the reads Spin, those of the last iterations, can return the
	// same values for ever.
	Stuck      bool
	Wait, Spin []ID

	computed []computed // see fixed
}

// Asynchronous reports whether some operation of the structure is asynchronous.
func (s *Structure) Asynchronous() bool { return len(s.Issue)+len(s.Within)+len(s.Complete) > 0 }

// Apart returns a copy of the structure for use in another goroutine.
func (s *Structure) Apart() *Structure {
	apart := *s
	apart.computed = nil
	return &apart
}

// Held returns the final expression of a register, and false if its thread never sets it.
func (s *Structure) Held(r Reg) (Expr, bool) {
	x, ok := s.Paths[r.Thread].Finals[r.Name]
	return x, ok
}

// Finals yields the registers that threads set, in no particular order, with their final values.
func (s *Structure) Finals() iter.Seq2[Reg, Expr] {
	return func(yield func(Reg, Expr) bool) {
		for t, p := range s.Paths {
			for name, x := range p.Finals {
				if !yield(Reg{t, name}, x) {
					return
				}
			}
		}
	}
}

// N returns the number of events.
func (s *Structure) N() int { return len(s.Events) }

// Execution is a candidate execution.
type Execution struct {
	*Structure
	Loc []Loc   // location of each event; NoLoc for fences and barriers
	Via []Loc   // the name (alias) by which it is accessed; nil if there are no aliases
	Val []Value // what each access read or wrote
	Rf  []ID    // for each read the write it reads from; -1 for other events
	Co  rel.Rel // coherence, transitive, initial writes included

	// Wrong is the first computation that has no meaning, such as an access to an address outside
	// all locations, or nil. If it is set, there is no final state, and what depends on the
	// computation is undefined: reads have no write, accesses no location.
	Wrong error

	// ThinAir holds one read of each cycle of rf and the computations of the program
	// whose values are justified only by themselves.
	ThinAir rel.Set
}

// Env returns the environment of the expressions of a thread once every value is known.
func (x *Execution) Env(thread int) Env {
	return func(n int) (Value, bool) { return x.Val[x.First[thread]+n], true }
}

// Final returns the final value of a register, and false if its thread never sets it.
func (x *Execution) Final(r Reg) (Value, bool) {
	e, ok := x.Held(r)
	if !ok {
		return Value{}, false
	}
	v, err := e.Eval(x.Env(r.Thread))
	return v, err == nil
}

// FinalValues returns the possible final values of a location, sorted: the value of any write
// without a later write in coherence order. Writes that race may leave several.
func (x *Execution) FinalValues(l Loc) []Value {
	l = Physical(x.Locs, l)
	var values []Value
	for e := range x.Events {
		if x.Loc[e] == l && x.Events[e].Kind == Write && x.Co.Row(e).Empty() {
			values = append(values, x.Val[e])
		}
	}
	slices.SortFunc(values, Value.Compare)
	return slices.Compact(values)
}

// Hangs reports whether some thread never ends: it waits at a barrier that others never reach, or
// spins on values that no write will overwrite.
func (x *Execution) Hangs() bool {
	return x.Stuck && !slices.ContainsFunc(x.Spin, func(read ID) bool { return !x.Co.Row(x.Rf[read]).Empty() })
}

// name returns the name by which an access was made.
func (x *Execution) name(e ID) string {
	if x.Via != nil {
		return x.Locs[x.Via[e]].Name
	}
	return x.Locs[x.Loc[e]].Name
}

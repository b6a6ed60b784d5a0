package clike

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/barrier"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/src"
)

// A thread is first lowered to code: a list of instructions over registers, in the order of
// evaluation, with one instruction for each access to memory. Both the walk along control paths
// (walk.go) and the translation to PTX start from the code.

// Register is a variable of a thread, or a temporary. It is a number of Thread.Names.
type Register int

// None is no register.
const None Register = -1

// An Expr is a value without accesses: a constant, a register, or an operation.
type Expr interface{ Registers(visit func(Register)) }

type (
	Constant  event.Value
	Operation struct {
		Op   arith.Op
		Type arith.Type
		Args []Expr
	}
)

func (Constant) Registers(func(Register))         {}
func (r Register) Registers(visit func(Register)) { visit(r) }
func (o Operation) Registers(visit func(Register)) {
	for _, a := range o.Args {
		a.Registers(visit)
	}
}

// Access describes an access to memory, or a fence.
type Access struct {
	Type     arith.Type // of what memory holds
	Order    event.Order
	Scope    event.Scope
	Spaces   event.Tags
	Volatile bool
	Name     string // what the program calls: "atomic_load_explicit"
}

// Instr is an instruction.
type Instr interface {
	Where() Place
	Uses() []Expr
	Defs() []Register
}

// Place is the position of an instruction in the body of its thread: offsets in Thread.Source.
type Place struct{ Start, End int }

func (p Place) Where() Place   { return p }
func (Place) Uses() []Expr     { return nil }
func (Place) Defs() []Register { return nil }
func regs(r ...Register) []Register {
	var some []Register
	for _, r := range r {
		if r != None {
			some = append(some, r)
		}
	}
	return some
}

// The instructions.
type (
	// Assign sets a register.
	Assign struct {
		Place
		Dst Register
		X   Expr
	}

	// Load is a read.
	Load struct {
		Place
		Access
		Dst  Register
		Addr Expr
	}

	// Store is a write.
	Store struct {
		Place
		Access
		Addr, X Expr
	}

	// Update is a read-modify-write that always writes: op(old, x), or x if it exchanges.
	Update struct {
		Place
		Access
		Dst      Register
		Addr, X  Expr
		Op       arith.Op
		Exchange bool
	}

	// Swap is a compare-exchange.
	Swap struct {
		Place
		Access
		Old, OK     Register // either may be none
		Addr        Expr
		Expected, X Expr
		Failure     event.Order
		MayFail     bool // although the values agree (C11, 7.17.7.4)
	}

	// Fence is a fence.
	Fence struct {
		Place
		Access
	}

	// Meet is an operation of a thread at a barrier.
	Meet struct {
		Place
		Access
		Room           Room
		Object         bool // a cuda::barrier, in memory
		Arrives, Waits bool
		Vote           Expr // nil but for the barriers that reduce
		Dst            Register
	}

	// Branch goes on behind it if Cond holds, and else at Otherwise. All ways join at Join, where
	// the control dependency ends (findJoins).
	Branch struct {
		Place
		Cond            Expr
		Otherwise, Join int
	}

	// Operands precedes operands whose order of evaluation is not their order in the text. The code
	// of the operands follows it; Ends are the ends of each. When all are evaluated, the thread
	// goes on at the end of the last.
	Operands struct {
		Place
		How  ordering
		Ends []int
	}

	// Jump goes elsewhere; backwards, it ends a round of a loop.
	Jump struct {
		Place
		To int
	}
)

func (i *Assign) Uses() []Expr     { return []Expr{i.X} }
func (i *Assign) Defs() []Register { return regs(i.Dst) }
func (i *Load) Uses() []Expr       { return []Expr{i.Addr} }
func (i *Load) Defs() []Register   { return regs(i.Dst) }
func (i *Store) Uses() []Expr      { return []Expr{i.Addr, i.X} }
func (i *Update) Uses() []Expr     { return []Expr{i.Addr, i.X} }
func (i *Update) Defs() []Register { return regs(i.Dst) }
func (i *Swap) Uses() []Expr       { return []Expr{i.Addr, i.Expected, i.X} }
func (i *Swap) Defs() []Register   { return regs(i.Old, i.OK) }
func (i *Branch) Uses() []Expr     { return []Expr{i.Cond} }
func (i *Meet) Defs() []Register   { return regs(i.Dst) }
func (i *Meet) Uses() []Expr {
	if i.Vote == nil {
		return nil
	}
	return []Expr{i.Vote}
}

// Room identifies a barrier.
type Room struct {
	Unit    event.Scope       // identifies the threads that meet: those of a CTA, a cluster, …; ScopeThread is a warp
	Name    string            // of a barrier in memory, or of a labelled one; "" for the barrier of the unit
	Count   int               // the arrivals that complete it; 0 for one of each thread that has it in its code
	Reduces barrier.Reduction // of the votes of its threads
}

// Thread is the code of a thread.
type Thread struct {
	Name     string
	Code     Code
	Names    []string // of registers; "" for temporaries
	Types    []Type
	Initial  []event.Value
	Observed map[Register]bool
	Source   src.Span // of the body

	seated bool         // it depends on where it runs
	params int          // the number of registers, the first ones, that are parameters
	free   *freedom     // of the order of evaluation; nil if the language leaves none
	paths  []*path.Path // where all accesses of a test have one width; nil until they are walked
	key    frontend.Key // see keys
}

// At returns where an instruction stands in the test.
func (t *Thread) At(in Instr) src.Span { return t.span(in.Where()) }

func (t *Thread) span(p Place) src.Span {
	return t.Source.File.Span(t.Source.Start+p.Start, t.Source.Start+p.End)
}

// Lookup returns the register of a name, or none.
func (t *Thread) Lookup(name string) Register {
	for r, n := range t.Names {
		if n == name {
			return Register(r)
		}
	}
	return None
}

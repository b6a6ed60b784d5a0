package clike

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
	"github.com/muster-gpu/muster/src"
)

// A thread is lowered to code before anything is made of it: a list of instructions over registers,
// with every access to memory an instruction of its own, in the order of evaluation. Control paths are
// walks through it (walk.go), and so is the translation to PTX.

// register is a variable of a thread, or a temporary. It is a number of thread.names.
type register int

// none is no register.
const none register = -1

// An expr is a value without accesses: a constant, a register, or an operation.
type expr interface{ registers(visit func(register)) }

type (
	constant  event.Value
	operation struct {
		op   arith.Op
		typ  arith.Type
		args []expr
	}
)

func (constant) registers(func(register))         {}
func (r register) registers(visit func(register)) { visit(r) }
func (o operation) registers(visit func(register)) {
	for _, a := range o.args {
		a.registers(visit)
	}
}

// access is how an access to memory, or a fence, is made.
type access struct {
	typ      arith.Type // of what memory holds
	order    event.Order
	scope    event.Scope
	spaces   event.Tags
	volatile bool
	name     string // what the program calls: "atomic_load_explicit"
}

// instr is an instruction.
type instr interface {
	at() src.Span
	uses() []expr
	defs() []register
}

// place is where an instruction stands in the test.
type place struct{ span src.Span }

func (p place) at() src.Span   { return p.span }
func (place) uses() []expr     { return nil }
func (place) defs() []register { return nil }
func regs(r ...register) []register {
	var some []register
	for _, r := range r {
		if r != none {
			some = append(some, r)
		}
	}
	return some
}

// The instructions.
type (
	// assign sets a register.
	assign struct {
		place
		dst register
		x   expr
	}

	// load is a read.
	load struct {
		place
		access
		dst  register
		addr expr
	}

	// store is a write.
	store struct {
		place
		access
		addr, x expr
	}

	// update is a read-modify-write that always writes: op(old, x), or x if it exchanges.
	update struct {
		place
		access
		dst      register
		addr, x  expr
		op       arith.Op
		exchange bool
	}

	// swap is a compare-exchange.
	swap struct {
		place
		access
		old, ok     register // either may be none
		addr        expr
		expected, x expr
		failure     event.Order
		mayFail     bool // although the values agree (C11, 7.17.7.4)
	}

	// fence is a fence.
	fence struct {
		place
		access
	}

	// meet is what a thread does at a barrier.
	meet struct {
		place
		access
		room           room
		arrives, waits bool
		vote           expr // nil but for the barriers that reduce
		dst            register
	}

	// branch goes on behind it if cond holds, and else at otherwise. Both ways join at join, where
	// the control dependency ends.
	branch struct {
		place
		cond            expr
		otherwise, join int
	}

	// jump goes elsewhere; backwards, it ends a round of a loop.
	jump struct {
		place
		to int
	}
)

func (i *assign) uses() []expr     { return []expr{i.x} }
func (i *assign) defs() []register { return regs(i.dst) }
func (i *load) uses() []expr       { return []expr{i.addr} }
func (i *load) defs() []register   { return regs(i.dst) }
func (i *store) uses() []expr      { return []expr{i.addr, i.x} }
func (i *update) uses() []expr     { return []expr{i.addr, i.x} }
func (i *update) defs() []register { return regs(i.dst) }
func (i *swap) uses() []expr       { return []expr{i.addr, i.expected, i.x} }
func (i *swap) defs() []register   { return regs(i.old, i.ok) }
func (i *branch) uses() []expr     { return []expr{i.cond} }
func (i *meet) defs() []register   { return regs(i.dst) }
func (i *meet) uses() []expr {
	if i.vote == nil {
		return nil
	}
	return []expr{i.vote}
}

// room is where threads meet.
type room struct {
	unit    event.Scope // who meets: the threads of a CTA, of a cluster, … ; ScopeThread for those of a warp
	name    string      // of a barrier in memory, or of a labelled one; "" for the barrier of the unit
	count   int         // how many arrivals complete it; 0 for one of each thread that has it in its code
	reduces string      // what it does with the votes of its threads: "", "count", "and", "or"
}

// thread is the code of a thread.
type thread struct {
	name     string
	code     code
	names    []string // of registers; "" for temporaries
	types    []Type
	initial  []event.Value
	observed map[register]bool
}

// lookup is the register of a name, or none.
func (t *thread) lookup(name string) register {
	for r, n := range t.names {
		if n == name {
			return register(r)
		}
	}
	return none
}

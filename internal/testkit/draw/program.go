package draw

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/testkit/oracle/machine"
)

// Unroll is the unroll bound for drawn programs: the iterations of a loop have few accesses.
const Unroll = 2

// drawer draws programs with few accesses, to have few candidate executions.
type drawer struct {
	*rapid.T
	accesses int             // remaining number of accesses of the program
	drawn    []machine.Instr // instructions of the thread so far
	rows     int             // final number of instructions of the thread
	scoped   bool            // for a PTX test, restricted to instructions of the manual
}

// Program draws a program of the dialect of ASPLOS 2015.
func Program(t *rapid.T) *machine.Program {
	d := &drawer{T: t, accesses: 10}
	p := &machine.Program{SameCTA: d.oneIn(2, "same CTA")}
	for l := range p.Init {
		p.Init[l] = int32(d.below(2, "initially"))
	}
	threads := pick(d, "threads", 2, 2, 3)
	for range threads {
		p.Threads = append(p.Threads, d.thread(5-threads))
	}
	return p
}

// thread draws a thread of at least that number of instructions.
func (d *drawer) thread(least int) []machine.Instr {
	if d.oneIn(6, "a loop") {
		return d.loop()
	}
	d.drawn, d.rows = nil, least+d.below(3, "instructions")
	for range d.rows {
		d.drawn = append(d.drawn, d.instr())
	}
	return d.drawn
}

// loop draws a loop that counts to n, perhaps beyond the unroll bound.
func (d *drawer) loop() []machine.Instr {
	const counter, goOn, times = 3, 2, Unroll + 1
	body, n := 1+d.below(2, "instructions"), 1+d.below(times+1, "iterations")
	d.drawn, d.rows = []machine.Instr{{Op: "mov", Dst: counter, Args: []machine.Operand{{Value: 0}}}}, body+4
	rest := d.accesses % times
	d.accesses /= times
	for range body {
		in := d.instr()
		in.Dst %= goOn // the counter is not changed
		d.drawn = append(d.drawn, in)
	}
	d.accesses = d.accesses*times + rest
	return append(d.drawn,
		machine.Instr{Op: "add", Dst: counter, Args: []machine.Operand{{Reg: true, Value: counter}, {Value: 1}}},
		machine.Instr{
			Op:   "setp.lt",
			Dst:  goOn,
			Args: []machine.Operand{{Reg: true, Value: counter}, {Value: int32(n)}},
		},
		machine.Instr{Op: "bra", Target: 1, Guard: machine.Guard{Present: true, Reg: goOn}},
	)
}

// pick draws one of several values with equal probability.
func pick[V any](d *drawer, what string, from ...V) V {
	return rapid.SampledFrom(from).Draw(d.T, what)
}

func (d *drawer) below(n int, what string) int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return pick(d, what, numbers...)
}

func (d *drawer) oneIn(n int, what string) bool { return d.below(n, what) == n-1 }

// register prefers the first registers, so that instructions share them.
func (d *drawer) register() int { return pick(d, "register", 0, 0, 0, 1, 1, 2, 2, 3) }

// kinds are the kinds of instructions, with their relative frequencies.
var kinds = []struct {
	name     string
	weight   int
	accesses int
	draw     func(*drawer, *machine.Instr)
}{
	{"load", 6, 1, (*drawer).load},
	{"store", 6, 1, (*drawer).store},
	{"atomic", 4, 2, (*drawer).atomic},
	{"pointer access", 1, 1, (*drawer).pointerAccess},
	{"move", 1, 0, (*drawer).move},
	{"alu", 1, 0, (*drawer).alu},
	{"compare", 1, 0, (*drawer).compare},
	{"pointer", 1, 0, (*drawer).pointer},
	{"branch", 1, 0, (*drawer).branch},
	{"fence", 1, 0, (*drawer).fence},
}

func (d *drawer) instr() machine.Instr {
	in := machine.Instr{Dst: d.register()}
	if d.oneIn(5, "guarded") {
		in.Guard = machine.Guard{Present: true, Negated: d.oneIn(2, "negated"), Reg: d.register()}
	}
	var names []string
	for _, k := range kinds {
		if k.accesses <= d.accesses {
			names = append(names, slices.Repeat([]string{k.name}, k.weight)...)
		}
	}
	name := pick(d, "kind", names...)
	for _, k := range kinds {
		if k.name == name {
			d.accesses -= k.accesses
			k.draw(d, &in)
		}
	}
	return in
}

func (d *drawer) operand() machine.Operand {
	if d.oneIn(3, "a register") {
		return machine.Operand{Reg: true, Value: int32(d.register())}
	}
	return machine.Operand{Value: pick[int32](d, "constant", 1, 1, 2, 2, 0, -1, 1<<31-1, -1<<31)}
}

func (d *drawer) operands(n int) (args []machine.Operand) {
	for range n {
		args = append(args, d.operand())
	}
	return args
}

func (d *drawer) address() machine.Address {
	return machine.Address{N: d.below(machine.Pointers, "location"), Pointer: d.oneIn(3, "pointer")}
}

// integer draws a type, which only affects comparisons.
func (d *drawer) integer(in *machine.Instr) {
	if d.scoped {
		return // the valid types depend on the operation
	}
	typ := pick(d, "type", "", ".s32", ".u32", ".b32")
	in.Suffix += typ
	in.Unsigned = typ == ".u32" || typ == ".b32"
}

func (d *drawer) load(in *machine.Instr) {
	in.Op, in.At = "ld", d.address()
	in.Suffix = pick(d, "cache operator", ".cg", "", ".ca", ".cv", ".volatile")
	d.integer(in)
}

func (d *drawer) store(in *machine.Instr) {
	in.Op, in.At, in.Args = "st", d.address(), d.operands(1)
	in.Suffix = pick(d, "cache operator", ".cg", "", ".wb", ".wt", ".volatile")
	d.integer(in)
}

func (d *drawer) atomic(in *machine.Instr) {
	name, args := pick(d, "result", "atom", "red"), 1
	op := pick(d, "operation", "add", "inc", "dec", "and", "or", "xor", "min", "max", "exch", "cas")
	switch op {
	case "cas":
		name, args = "atom", 2
	case "exch":
		name = "atom"
	case "inc", "dec":
		if !d.scoped {
			args = d.below(2, "bounds")
		}
	}
	in.Op, in.At, in.Args = name+"."+op, d.address(), d.operands(args)
	d.integer(in)
}

func (d *drawer) move(in *machine.Instr) { in.Op, in.Args = "mov", d.operands(1); d.integer(in) }

func (d *drawer) alu(in *machine.Instr) {
	in.Op, in.Args = pick(d, "operation", "add", "sub", "and", "or", "xor", "min", "max", "selp"), d.operands(2)
	if in.Op == "selp" {
		in.Args = append(in.Args, d.operand())
	}
	d.integer(in)
}

func (d *drawer) compare(in *machine.Instr) {
	in.Op, in.Args = "setp."+pick(d, "comparison", "eq", "ne", "lt", "le", "gt", "ge"), d.operands(2)
	d.integer(in)
}

func (d *drawer) pointer(in *machine.Instr) {
	in.Dst = d.below(machine.Pointers, "pointer")
	in.Op, in.At = "ptr.mov", d.address()
	if d.oneIn(2, "select") {
		in.Op, in.Args = "ptr.selp", d.operands(1)
	}
}

func (d *drawer) pointerAccess(in *machine.Instr) {
	in.Op, in.Dst = pick(d, "access", "ptr.ld", "ptr.st"), d.below(machine.Pointers, "pointer")
}

// branch draws a forward branch, or, with a guard and enough accesses left, a backward one: a loop
// without an exit has no final state.
func (d *drawer) branch(in *machine.Instr) {
	here := len(d.drawn)
	in.Op, in.Target = "bra", d.below(d.rows+1, "target")
	if in.Target > here {
		return
	}
	repeated := 0
	for _, again := range d.drawn[in.Target:] {
		repeated += Unroll * again.Accesses()
	}
	if !in.Guard.Present || repeated > d.accesses {
		in.Target = here + 1
		return
	}
	d.accesses -= repeated
}

func (d *drawer) fence(in *machine.Instr) { in.Op = "membar." + pick(d, "scope", "cta", "gl", "sys") }

package toptx

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// column is the instructions of a thread as they are written.
type column struct {
	*translation
	*clike.Thread
	at      src.Span // of the instruction that is being translated
	cells   []litmus.Cell
	sources []src.Span                        // of each of the cells
	sets    map[clike.Register][]clike.Instr  // what sets a register
	direct  map[clike.Register]clike.Register // variables that are set in place of temporaries
	names   map[clike.Register]string         // of those that have one so far
	taken   map[string]bool                   // names that mean something else
	labels  map[int]string                    // of instructions that jumps lead to
	extra   int                               // the number of additional labels
	tokens  map[string]string                 // by barrier, the register that arrive has set
}

func newColumn(tr *translation, code *clike.Thread) *column {
	c := &column{
		translation: tr, Thread: code, sets: map[clike.Register][]clike.Instr{}, direct: map[clike.Register]clike.Register{},
		names: map[clike.Register]string{}, taken: map[string]bool{}, labels: map[int]string{}, tokens: map[string]string{},
	}
	for _, name := range tr.LocNames() {
		c.taken[name] = true
	}
	for pc, in := range code.Code {
		for _, r := range in.Defs() {
			c.sets[r] = append(c.sets[r], in)
		}
		for _, to := range code.Code.Successors(pc) {
			if to != pc+1 {
				c.labels[to] = ""
			}
		}
	}
	for i, pc := range slices.Sorted(maps.Keys(c.labels)) {
		c.labels[pc] = fmt.Sprintf("L%d", i)
	}
	c.findDirect()
	return c
}

// row writes an instruction.
func (c *column) row(format string, args ...any) {
	c.cells = append(c.cells, litmus.NewCell(fmt.Sprintf(format, args...)))
	c.sources = append(c.sources, c.at)
}

// Registers.

// findDirect finds the temporaries that are only assigned to a variable at once: the instruction
// that sets the temporary sets the variable instead.
func (c *column) findDirect() {
	uses := map[clike.Register]int{}
	for pc := range c.Code {
		c.Code.EachRead(pc, func(r clike.Register) { uses[r]++ })
	}
	for pc := 1; pc < len(c.Code); pc++ {
		in, ok := c.Code[pc].(*clike.Assign)
		if !ok {
			continue
		}
		t, ok := in.X.(clike.Register)
		if _, jumped := c.labels[pc]; ok && !jumped && c.Names[t] == "" && uses[t] == 1 && c.Code.Sets(pc-1, t) {
			c.direct[t] = in.Dst
		}
	}
}

// name returns a register as PTX names it: a variable by its name, unless that means something
// else.
func (c *column) name(r clike.Register) string {
	if to, ok := c.direct[r]; ok {
		return c.name(to)
	}
	if c.names[r] == "" {
		c.names[r] = c.unused(c.Names[r], "r")
	}
	return c.names[r]
}

// scratch returns a register that no variable has.
func (c *column) scratch() string { return c.unused("", "r") }

// predicate returns a predicate register.
func (c *column) predicate() string { return c.unused("", "p") }

// unused returns a name that nothing has: the wanted one, or a letter and a number.
func (c *column) unused(wanted, letter string) string {
	name := wanted
	for i := 0; name == "" || c.taken[name] || name != wanted && slices.Contains(c.Names, name); i++ {
		name = fmt.Sprintf("%s%d", letter, i)
	}
	c.taken[name] = true
	return name
}

// initial returns the initial values of those registers of the thread that may be read, or observed
// at the end, before they are set.
func (c *column) initial(thread int) []*litmus.Register {
	var all []*litmus.Register
	for i := range c.Names {
		r := clike.Register(i)
		if _, constant := c.constant(r); !constant && c.readFirst(r) {
			v := c.Value(c.Initial[r])
			all = append(all, &litmus.Register{Thread: thread, Name: litmus.Ident{Text: c.name(r)}, Init: &v})
		}
	}
	return all
}

// readFirst reports whether some path through the thread reads a register before it sets it.
func (c *column) readFirst(r clike.Register) bool {
	seen := map[int]bool{}
	var from func(pc int) bool
	from = func(pc int) bool {
		if pc == len(c.Code) {
			return c.Observed[r]
		}
		if seen[pc] {
			return false
		}
		seen[pc] = true
		reads := false
		c.Code.EachRead(pc, func(used clike.Register) { reads = reads || used == r })
		if reads || c.Code.Sets(pc, r) {
			return reads
		}
		return slices.ContainsFunc(c.Code.Successors(pc), from)
	}
	return from(0)
}

// constantRegister returns the value of a register that has the same value at all reads, such as a
// pointer or a reference to an object, and reports whether it has.
func (c *column) constantRegister(r clike.Register) (event.Value, bool) {
	switch sets := c.sets[r]; {
	case c.Observed[r]:
		return event.Value{}, false
	case len(sets) == 0:
		return c.Initial[r], true
	case len(sets) == 1 && !c.readFirst(r):
		if in, ok := sets[0].(*clike.Assign); ok {
			return c.constant(in.X)
		}
	}
	return event.Value{}, false
}

// constant returns the value of an expression that depends on nothing that the thread does.
func (c *column) constant(x clike.Expr) (event.Value, bool) {
	switch x := x.(type) {
	case clike.Constant:
		return event.Value(x), true
	case clike.Register:
		return c.constantRegister(x)
	case clike.Operation:
		var args []event.Expr
		for _, a := range x.Args {
			v, ok := c.constant(a)
			if !ok {
				return v, false
			}
			args = append(args, event.Const(v))
		}
		folded, err := event.Apply(x.Op, x.Type, args...)
		v, ok := folded.(event.Const)
		return event.Value(v), ok && err == nil
	}
	return event.Value{}, false
}

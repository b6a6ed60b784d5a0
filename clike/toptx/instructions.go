package toptx

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/event"
)

// instructions translates the thread.
func (c *column) instructions() {
	for pc, in := range c.Code {
		c.label(pc)
		c.at = c.At(in)
		switch in := in.(type) {
		case *clike.Assign:
			c.assign(in)
		case *clike.Load:
			c.load(in)
		case *clike.Store:
			c.store(in)
		case *clike.Update:
			c.update(in)
		case *clike.Swap:
			c.swap(in)
		case *clike.Fence:
			c.fence(in)
		case *clike.Meet:
			c.meet(in)
		case *clike.Branch:
			if in.Otherwise != pc+1 {
				c.row("@%s bra %s", c.condition(in.Cond, true), c.labels[in.Otherwise])
			}
		case *clike.Jump:
			if in.To != pc+1 {
				c.row("bra %s", c.labels[in.To])
			}
		}
	}
	c.label(len(c.Code))
}

func (c *column) label(pc int) {
	if name, ok := c.labels[pc]; ok {
		c.row("%s:", name)
	}
}

// Memory.

// memory returns the type of an access as its modifier.
func memory(t arith.Type) string {
	switch {
	case t.Bits == 32:
		return ""
	case t.Bits == 1:
		return ".u8"
	}
	return "." + typeName(t)
}

// address returns an expression as the address of an access.
func (c *column) address(x clike.Expr) string {
	if v, ok := c.constant(x); ok && v.IsAddress() {
		return c.element(v)
	}
	if o, ok := x.(clike.Operation); ok && o.Op == arith.Add {
		if offset, ok := c.constant(o.Args[1]); ok && !offset.IsAddress() {
			return fmt.Sprintf("[%s+%d]", c.value(o.Args[0]), offset.Int)
		}
	}
	return "[" + c.value(x) + "]"
}

// element returns the location at a constant address.
func (c *column) element(v event.Value) string {
	at := c.Value(v)
	switch {
	case at.Int == 0:
		return at.Loc
	case at.Int > 0 && at.Int%event.ElemSize == 0:
		return fmt.Sprintf("%s[%d]", at.Loc, at.Int/event.ElemSize)
	}
	return fmt.Sprintf("[%s+%d]", at.Loc, at.Int)
}

// access writes what comes before a load or a store, and is its opcode. A volatile access is
// relaxed.sys, and has an instruction of its own.
func (c *column) access(m mapping, plain string, a *clike.Access) (opcode string, ok bool) {
	switch {
	case a.Order == event.Weak:
		return plain + ".weak", true
	case a.Volatile && a.Order == event.Relaxed && a.Scope == event.ScopeSys:
		return plain + ".volatile", true
	}
	return c.ordered(m, a.Order, a.Scope, c.at)
}

func (c *column) load(in *clike.Load) {
	addr := c.address(in.Addr)
	if op, ok := c.access(c.edition.loads, "ld", &in.Access); ok {
		c.row("%s%s %s, %s", op, memory(in.Type), c.name(in.Dst), addr)
	}
}

func (c *column) store(in *clike.Store) {
	addr, x := c.address(in.Addr), c.value(in.X)
	if op, ok := c.access(c.edition.stores, "st", &in.Access); ok {
		c.row("%s%s %s, %s", op, memory(in.Type), addr, x)
	}
}

// operations are the read-modify-writes, with the modifier for their type.
var operations = map[arith.Op]struct {
	name string
	typ  func(arith.Type) string
}{
	arith.Add: {"add", sums}, arith.Sub: {"add", sums}, arith.And: {"and", unsigned}, arith.Or: {"or", unsigned}, arith.Xor: {"xor", unsigned},
	arith.Min: {"min", signed}, arith.Max: {"max", signed}, arith.Inc: {"inc", unsigned}, arith.Dec: {"dec", unsigned},
}

// sums returns the modifier of atom.add, which has no .s64.
func sums(t arith.Type) string {
	if t.Bits == 64 {
		return ".u64"
	}
	return ""
}

func (c *column) update(in *clike.Update) {
	op, known := operations[in.Op]
	name, typ := op.name, op.typ
	if in.Exchange {
		name, typ, known = "exch", unsigned, true
	}
	if in.Type.Bits < 32 || !known {
		c.refuse(c.at, fmt.Sprintf("%s of %d bits", in.Name, in.Type.Bits), "atom has 32 and 64 bits")
		return
	}
	addr, x := c.address(in.Addr), in.X
	if in.Op == arith.Sub && !in.Exchange { // PTX has no atom.sub
		x = clike.Operation{Op: arith.Sub, Type: in.Type, Args: []clike.Expr{clike.Constant(event.Int(0)), x}}
	}
	operand := c.value(x)
	if opcode, ok := c.ordered(c.edition.updates, in.Order, in.Scope, c.at); ok {
		c.row("%s.%s%s %s, %s, %s", opcode, name, typ(in.Type), c.name(in.Dst), addr, operand)
	}
}

// swap writes a compare-exchange. A weak one, which may fail although the values agree, becomes a
// strong one: atom.cas has no weak form.
func (c *column) swap(in *clike.Swap) {
	if in.Type.Bits < 32 {
		c.refuse(c.at, fmt.Sprintf("%s of %d bits", in.Name, in.Type.Bits), "atom.cas has 32 and 64 bits here")
		return
	}
	addr, expected, x := c.address(in.Addr), c.value(in.Expected), c.value(in.X)
	opcode, ok := c.ordered(c.edition.updates, stronger(in.Order, in.Failure), in.Scope, c.at)
	if !ok {
		return
	}
	old := c.scratch
	if in.Old != clike.None {
		old = func() string { return c.name(in.Old) }
	}
	got := old()
	c.row("%s.cas%s %s, %s, %s, %s", opcode, unsigned(in.Type), got, addr, expected, x)
	if in.OK != clike.None {
		p := c.predicate()
		c.row("setp.eq%s %s, %s, %s", unsigned(in.Type), p, got, expected)
		c.row("selp %s, 1, 0, %s", c.name(in.OK), p)
	}
}

func (c *column) fence(in *clike.Fence) {
	if membar, ok := threadFences[in.Name]; ok {
		c.row("%s", membar)
		return
	}
	if opcode, ok := c.ordered(c.edition.fences, in.Order, in.Scope, c.at); ok && opcode != "" {
		c.row("%s", opcode)
	}
}

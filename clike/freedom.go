package clike

import (
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/src"
)

// This file analyses a thread whose order of evaluation the language leaves open, before its paths
// are walked.

// freedom is the part of the order of evaluation of a thread that the language leaves open.
type freedom struct {
	unit    []int  // by instruction: the end of the unit that begins there, or 0
	called  []bool // by instruction: whether it is in the body of a function
	settled []int  // by instruction: from which one on its side effect is over; 0 if at once
	bases   map[Register]event.Loc
}

// findFreedom finds what the order of evaluation of the thread leaves open. units are its units;
// over maps a side effect to the instruction from which on it is over. If nothing is open, the
// thread has no freedom.
func (t *Thread) findFreedom(units []unit, over map[Instr]int) {
	if !slices.ContainsFunc(t.Code, func(in Instr) bool { _, is := in.(*Operands); return is }) {
		return
	}
	n := len(t.Code)
	t.free = &freedom{make([]int, n), make([]bool, n), make([]int, n), t.pointers()}
	single := make([]unit, n)
	for pc, in := range t.Code {
		t.free.settled[pc] = over[in]
		single[pc] = unit{pc, pc + 1, false}
	}
	for _, u := range units {
		for pc := u.start; pc < u.end; pc++ {
			single[pc] = u
			t.free.called[pc] = t.free.called[pc] || u.call
		}
		if u.call {
			t.free.unit[u.start] = u.end
		}
	}
	for pc, in := range t.Code {
		if o, ok := in.(*Operands); ok {
			for i := range o.Ends {
				for j := range i {
					t.contest(o.How, o.part(pc, j), o.part(pc, i), single)
				}
			}
		}
	}
}

// part returns where the i-th operand begins and ends, of an instruction at pc.
func (o *Operands) part(pc, i int) (p part) {
	p.start, p.end = pc+1, o.Ends[i]
	if i > 0 {
		p.start = o.Ends[i-1]
	}
	return p
}

// contest makes units of the conflicting instructions of two operands, if they have no order but
// exclude each other.
func (t *Thread) contest(how ordering, p, q part, single []unit) {
	for a := p.start; a < p.end; a++ {
		for b := q.start; b < q.end; b++ {
			if t.free.called[a] && t.free.called[b] || !t.depend(how, a, b) {
				continue
			}
			for _, pc := range []int{a, b} {
				if u := single[pc]; !t.free.called[pc] {
					t.free.unit[u.start] = u.end
				}
			}
		}
	}
}

// depend reports whether two instructions of different operands are candidates for both orders.
// They are if both are in the bodies of functions, or if they conflict and are indeterminately
// sequenced. Unsequenced instructions are not.
func (t *Thread) depend(how ordering, a, b int) bool {
	switch {
	case t.free.called[a] && t.free.called[b]:
		return true
	case t.free.called[a] || t.free.called[b] || how == indeterminate:
		return t.conflict(t.Code[a], t.Code[b])
	}
	return false
}

// conflict reports whether two instructions may access one object, and one of them writes.
func (t *Thread) conflict(a, b Instr) bool {
	if t.sameVariable(a, b) {
		return true
	}
	x, y := addressOf(a), addressOf(b)
	if x == nil || y == nil || !writes(a) && !writes(b) {
		return false
	}
	l, known := t.base(x)
	m, alsoKnown := t.base(y)
	return !known || !alsoKnown || l == m
}

// addressOf returns the address of an access; nil for other instructions.
func addressOf(in Instr) Expr {
	if accessOf(in) == nil {
		return nil
	}
	return in.Uses()[0]
}

func writes(in Instr) bool {
	_, reads := in.(*Load)
	return accessOf(in) != nil && !reads
}

// pointers returns the parameters that always lead to one location, or into one array.
func (t *Thread) pointers() map[Register]event.Loc {
	at := map[Register]event.Loc{}
	for r := range t.params {
		if v := t.Initial[r]; v.IsAddress() && !t.assigns(Register(r)) {
			at[Register(r)] = v.Base
		}
	}
	return at
}

// assigns reports whether the thread sets a register.
func (t *Thread) assigns(r Register) bool {
	return slices.ContainsFunc(t.Code, func(in Instr) bool { return slices.Contains(in.Defs(), r) })
}

// base returns the location, or the first of the array, that an address leads to, and false if it
// is not always the same.
func (t *Thread) base(x Expr) (event.Loc, bool) {
	switch x := x.(type) {
	case Constant:
		return event.Value(x).Base, event.Value(x).IsAddress()
	case Register:
		l, known := t.free.bases[x]
		return l, known
	case Operation:
		if x.Op == arith.Add || x.Op == arith.Sub {
			return t.base(x.Args[0])
		}
	}
	return 0, false
}

// eachOpen visits the variables that depend on the order of operands: one operand reads a variable
// that another sets.
func (t *Thread) eachOpen(in *Operands, pc int, visit func(Register)) {
	for i := range in.Ends {
		for j := range in.Ends {
			if i != j {
				t.eachPassed(in.part(pc, i), in.part(pc, j), visit)
			}
		}
	}
}

// eachPassed visits the variables that one operand sets and another reads.
func (t *Thread) eachPassed(from, to part, visit func(Register)) {
	for a := from.start; a < from.end; a++ {
		for _, r := range t.Code[a].Defs() {
			looks := func(in Instr) bool {
				return slices.ContainsFunc(in.Uses(), func(x Expr) bool { return looksAt(x, func(s Register) bool { return s == r }) })
			}
			if t.Names[r] != "" && slices.ContainsFunc(t.Code[to.start:to.end], looks) {
				visit(r)
			}
		}
	}
}

// Unsequenced returns the places of two accesses in one expression that are unsequenced and may be
// of one object, and reports whether there are such accesses. It walks the control paths of threads
// that leave an order of evaluation open. The error is that of New.
func (p *Program) Unsequenced() (places [2]src.Span, found bool, err error) {
	for _, t := range p.Code {
		if t.free == nil {
			continue
		}
		paths, err := p.pathsOf(t)
		if err != nil {
			return places, false, err
		}
		for _, path := range paths {
			for _, pair := range path.Unsequenced {
				for i, e := range pair {
					places[i] = t.At(t.Code[path.Events[e].Instr-1])
				}
				return places, true, nil
			}
		}
	}
	return places, false, nil
}

// LeavesOrderOpen reports whether the thread has operands whose order of evaluation the language
// leaves open.
func (t *Thread) LeavesOrderOpen() bool {
	return slices.ContainsFunc(t.Code, func(in Instr) bool {
		o, is := in.(*Operands)
		return is && len(o.Ends) > 1
	})
}

package clike

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/clike/syntax"
)

// C leaves open in which order most parts of an expression are evaluated. Lowering keeps that
// freedom: if two or more operands access something, an Operands instruction says which code
// belongs to each. order_walk.go takes every order.

// ordering is a language's rule for the evaluation of several operands.
type ordering uint8

// The orderings.
const (
	unsequenced   ordering = iota // in any order, and mixed (C11, 5.1.2.3p3)
	indeterminate                 // one after the other, in any order
	sequenced                     // one after the other, as they are written
)

// sequencing is the rules of a language. Operands of operators without a field are unsequenced
// (C11, 6.5p3; C++17, [intro.execution]p10). The body of a function is sequenced after its
// arguments. It is indeterminately sequenced with the rest of its caller's expression (C11,
// 6.5.2.2p10; C++17, [intro.execution]p11).
type sequencing struct {
	assignment ordering // of the right side, and then the left
	arguments  ordering // of a call, among each other
	callee     ordering // of the object of a member function, and then the arguments
	shift      ordering // of the operands of << and >>
	index      ordering // of a and i in a[i]
	settles    bool     // an assignment has stored its value before anything uses the value of the expression
}

// sequencingOfC is C11, 6.5.16p3 and 6.5.2.2p10. OpenCL C is C99, whose 6.5p2 permits the same.
var sequencingOfC = sequencing{}

// sequencingOfCxx is the sequencing of C++17: [expr.ass]p1, [expr.call]p8, [expr.shift]p4,
// [expr.sub]p1. CUDA C++ is C++17 by default. Overloaded operators, such as those of atomics, keep
// the rules of the built-in ones ([over.match.oper]p2).
var sequencingOfCxx = sequencing{
	assignment: sequenced, arguments: indeterminate, callee: sequenced, shift: sequenced, index: sequenced, settles: true,
}

// binary returns how the operands of a binary operator are sequenced.
func (s *sequencing) binary(op string) ordering {
	if op == "<<" || op == ">>" {
		return s.shift
	}
	return unsequenced
}

// mark is a point in the code while it is lowered: an operand begins or ends there.
type mark struct {
	pc      int
	pending int // the number of pending side effects
}

func (l *lowerer) mark() mark { return mark{l.pc(), len(l.pending)} }

// part is the code of an operand, and what is computed with later.
type part struct {
	start, end int
	results    []result
	pending    int // side effects that were pending before it
}

// result is an expression that an operand leaves, with its type.
type result struct {
	of *Expr
	Type
}

func resultOf(v *value) []result { return []result{{&v.Expr, v.Type}} }

// partsOf returns the results of an object: its address, or its value.
func partsOf(o *object) []result {
	return []result{{&o.addr, o.pointer()}, {&o.rest.Expr, o.rest.Type}}
}

// open reports whether the order of the operands between marks may matter: several have code, or
// one sets a variable or has side effects pending.
func (l *lowerer) open(marks ...mark) bool {
	first, last := marks[0], marks[len(marks)-1]
	if first.pc == last.pc {
		return false
	}
	active := 0
	for i := range marks[1:] {
		if marks[i].pc < marks[i+1].pc {
			active++
		}
	}
	return active > 1 || first.pending < last.pending || slices.ContainsFunc(l.thread.Code[first.pc:last.pc], l.thread.setsVariable)
}

// setsVariable reports whether an instruction sets a variable of the thread.
func (t *Thread) setsVariable(in Instr) bool {
	return slices.ContainsFunc(in.Defs(), func(r Register) bool { return t.Names[r] != "" })
}

// operands is the operands of an operator or a call.
type operands struct {
	*lowerer
	at    Place
	parts []part
}

// order records how the operands of the expression at a place are sequenced. The operands are
// between marks and leave results. The code does not change if no order between the operands
// matters.
func (l *lowerer) order(how ordering, at Place, marks []mark, results ...[]result) {
	o := &operands{lowerer: l, at: at}
	for i, r := range results {
		o.parts = append(o.parts, part{marks[i].pc, marks[i+1].pc, r, marks[i].pending})
	}
	if how == sequenced {
		o.settleParts()
	}
	contested := o.keepResults()
	if how == sequenced {
		return
	}
	active := 0
	for _, p := range o.parts {
		if o.acts(p, contested) {
			active++
		}
	}
	if active < 2 {
		return
	}
	in := &Operands{Place: o.at, How: how}
	for _, p := range o.parts {
		in.Ends = append(in.Ends, p.end)
	}
	start := o.parts[0].start
	o.insert(start, in)
	for i := range in.Ends {
		in.Ends[i] = o.parts[i].end + 1
	}
}

// orderValues orders two operands that are values: the first begins at from, and the second at mid.
func (l *lowerer) orderValues(how ordering, at Place, x, y value, from, mid mark) (value, value) {
	end := l.mark()
	if !l.open(from, mid, end) {
		return x, y
	}
	v, w := x, y
	l.order(how, at, []mark{from, mid, end}, resultOf(&v), resultOf(&w))
	return v, w
}

// settleParts ends the side effects of each operand but the last with that operand.
func (o *operands) settleParts() {
	last := len(o.parts) - 1
	for i, p := range o.parts[:last] {
		for _, in := range o.pending[p.pending:o.parts[i+1].pending] {
			o.settled[in] = p.end
		}
	}
	first, rest := o.parts[0].pending, o.parts[last].pending
	o.pending = slices.Delete(o.pending, first, rest)
}

// keepResults copies results that an operand computes from variables that others set, so that they
// have the values at the operand's place. It returns the variables that some operand sets.
func (o *operands) keepResults() (contested map[Register]bool) {
	sets := make([]map[Register]bool, len(o.parts))
	for i, p := range o.parts {
		for _, in := range o.thread.Code[p.start:p.end] {
			for _, r := range in.Defs() {
				if o.thread.Names[r] == "" {
					continue
				}
				if sets[i] == nil {
					sets[i] = map[Register]bool{}
				}
				if contested == nil {
					contested = map[Register]bool{}
				}
				sets[i][r], contested[r] = true, true
			}
		}
	}
	if contested == nil {
		return nil
	}
	for i := range o.parts {
		others := slices.Delete(slices.Clone(sets), i, i+1)
		byOthers := func(r Register) bool {
			return slices.ContainsFunc(others, func(s map[Register]bool) bool { return s[r] })
		}
		for _, r := range o.parts[i].results {
			if *r.of != nil && looksAt(*r.of, byOthers) {
				o.keep(i, r)
			}
		}
	}
	return contested
}

// keep copies a result at the end of its operand.
func (o *operands) keep(i int, r result) {
	at := o.parts[i].end
	tmp := o.temporary(r.Type)
	o.insert(at, &Assign{o.at, tmp, *r.of})
	*r.of = tmp
	o.parts[i].end++
	for j := i + 1; j < len(o.parts); j++ {
		o.parts[j].start++
		o.parts[j].end++
	}
}

// acts reports whether an operand accesses memory, or a contested variable.
func (o *operands) acts(p part, contested map[Register]bool) bool {
	return slices.ContainsFunc(o.thread.Code[p.start:p.end], func(in Instr) bool {
		return accessOf(in) != nil || isFenceOrMeet(in) || touches(in, func(r Register) bool { return contested[r] })
	})
}

func isFenceOrMeet(in Instr) bool {
	switch in.(type) {
	case *Fence, *Meet:
		return true
	}
	return false
}

// looksAt reports whether an expression mentions some register.
func looksAt(x Expr, some func(Register) bool) (found bool) {
	x.Registers(func(r Register) { found = found || some(r) })
	return found
}

// touches reports whether an instruction sets or reads some register.
func touches(in Instr, some func(Register) bool) bool {
	return slices.ContainsFunc(in.Defs(), some) || slices.ContainsFunc(in.Uses(), func(x Expr) bool { return looksAt(x, some) })
}

// insert inserts an instruction into the code of the current full expression. Jumps to its place
// from later code now lead to the instruction after it.
func (l *lowerer) insert(at int, in Instr) {
	move := func(pos *int, from int) {
		if *pos > at || *pos == at && from >= at {
			*pos++
		}
	}
	code := l.thread.Code
	for pc := l.begin; pc < len(code); pc++ {
		switch in := code[pc].(type) {
		case *Branch:
			move(&in.Otherwise, pc)
		case *Jump:
			move(&in.To, pc)
		case *Operands:
			for i := range in.Ends {
				move(&in.Ends[i], pc)
			}
		}
	}
	for i := range l.units {
		u := &l.units[i]
		move(&u.end, u.start)
		move(&u.start, u.start)
	}
	for side, pos := range l.settled {
		move(&pos, at-1)
		l.settled[side] = pos
	}
	l.thread.Code = slices.Insert(code, at, in)
}

// unit is code that no other operand interrupts: the body of a function, or an operator that reads
// and writes (C11, 6.5.2.4p2: "the operation of postfix ++ is a single evaluation").
type unit struct {
	start, end int
	call       bool
}

// unit lowers something as a unit.
func (l *lowerer) unit(call bool, lower func() value) value {
	start := l.pc()
	v := lower()
	if l.pc() > start {
		l.units = append(l.units, unit{start, l.pc(), call})
	}
	return v
}

// callsSince reports whether the code from an instruction on calls a function.
func (l *lowerer) callsSince(pc int) bool {
	return slices.ContainsFunc(l.units, func(u unit) bool { return u.call && u.start >= pc })
}

// pend records that the last instruction is a side effect that the value of its expression does not
// wait for.
func (l *lowerer) pend() {
	if l.settled == nil {
		l.settled, l.over = map[Instr]int{}, map[Instr]int{}
	}
	in := l.thread.Code[l.pc()-1]
	l.pending = append(l.pending, in)
	l.settled[in] = l.pc()
}

// sequencePoint settles the side effects that were pended since then (C11, Annex C).
func (l *lowerer) sequencePoint(since int) {
	for _, in := range l.pending[since:] {
		l.settled[in] = l.pc()
	}
	l.pending = l.pending[:since]
}

// fullList evaluates full expressions one after the other.
func (l *lowerer) fullList(list *syntax.List) value {
	v := zero()
	for _, e := range list.Exprs {
		v = l.full(e)
	}
	return v
}

// full evaluates a full expression (C11, 6.8p4).
func (l *lowerer) full(e *syntax.Expr) value {
	l.begin = l.pc()
	v := l.expression(e)
	if len(l.pending) == 0 && len(l.settled) == 0 {
		return v
	}
	l.sequencePoint(0)
	if l.mixes() {
		l.insert(l.begin, &Operands{Place: l.here(e), Ends: []int{l.pc() + 1}})
	}
	maps.Copy(l.over, l.settled)
	clear(l.settled)
	return v
}

// mixes reports whether a pending side effect may interfere with other code of the current full
// expression.
func (l *lowerer) mixes() bool {
	for pc := l.begin; pc < l.pc(); pc++ {
		in := l.thread.Code[pc]
		until, pends := l.settled[in]
		if !pends {
			continue
		}
		for _, other := range l.thread.Code[pc+1 : until] {
			if accessOf(in) != nil && accessOf(other) != nil || l.thread.sameVariable(in, other) {
				return true
			}
		}
	}
	return false
}

// sameVariable reports whether two instructions access the same variable of the thread, and one of
// them sets it.
func (t *Thread) sameVariable(a, b Instr) bool {
	r := t.variable(a, b)
	return r != None
}

// variable returns a variable of the thread that two instructions access, at least one of them as a
// write, or None.
func (t *Thread) variable(a, b Instr) Register {
	for _, pair := range [][2]Instr{{a, b}, {b, a}} {
		for _, r := range pair[0].Defs() {
			if t.Names[r] != "" && touches(pair[1], func(other Register) bool { return other == r }) {
				return r
			}
		}
	}
	return None
}

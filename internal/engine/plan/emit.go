package plan

import (
	"slices"

	"github.com/muster-gpu/muster/internal/engine/relop"
)

// instr is one step of code.
type instr struct {
	op    relop.Op
	dst   Slot
	x, y  Slot  // operands; of opCheck, x is an index into the checks
	inner int32 // of OpFixpoint: how many steps after it are its body
	fix   int32 // of OpFixpoint: an index into the loops
}

// loop is a fixpoint: what it has reached so far, and what its body makes of it.
type loop struct{ reached, next []Slot }

// emitter turns nodes into code.
type emitter struct {
	*Builder
	plan    *Plan
	slots   []Slot // of each node; none if it has no code yet
	blocks  []block
	reports bool // what is emitted now is needed by reports only
}

// block is the body of a fixpoint that is being emitted.
type block struct {
	recursion uint64
	code      []instr
}

// Plan is the code for everything that checks and choices need.
func (b *Builder) Plan() *Plan {
	e := &emitter{Builder: b, plan: &Plan{stages: make([]stage, int(FirstChoice)+len(b.choices)+1)}}
	e.slots = slices.Repeat([]Slot{none}, len(b.nodes))
	last, chosen := Var(len(b.choices))+FirstChoice-1, len(b.choices) > 0
	for _, c := range b.checks {
		c.fill(e)
		if chosen && c.Of&last.bit() != 0 {
			c.ends(e, last)
		}
		e.appendTo(c.Of.stage(), instr{op: opCheck, x: Slot(len(e.plan.Checks))})
		e.plan.Checks = append(e.plan.Checks, c.Check)
	}
	for _, c := range b.choices {
		for i, arg := range c.args {
			c.Args[i] = e.emit(arg)
		}
		c.Slot = e.emit(c.node)
		c.Of = [2]Vars{b.nodes[c.args[0]].of, b.nodes[c.args[1]].of}
		c.Falls = b.nodes[c.args[0]].falls | b.nodes[c.args[1]].falls
		e.plan.Choices = append(e.plan.Choices, c.Choice)
	}
	e.reports = true
	for _, c := range b.reports {
		c.fill(e)
		e.plan.Reports = append(e.plan.Reports, c.Check)
	}
	e.plan.link()
	e.plan.define()
	return e.plan
}

// fill emits what is checked.
func (c *pendingCheck) fill(e *emitter) {
	n := &e.nodes[c.x]
	c.X, c.Set, c.Of, c.Falls = e.emit(c.x), n.set, n.of, n.falls
	if c.Negated {
		c.Falls = n.rises
	}
	c.Src, c.Dst = none, none
}

// ends emits Src and Dst of a check.
func (c *pendingCheck) ends(e *emitter, v Var) {
	if src, dst, ok := e.Builder.ends(c.x, v.bit()); ok && !c.Negated && c.Falls&v.bit() == 0 {
		e.slots = append(e.slots, slices.Repeat([]Slot{none}, len(e.nodes)-len(e.slots))...)
		c.Src, c.Dst = e.emit(src), e.emit(dst)
	}
}

// ends finds how pairs of a variable become part of x, if each does so on its own: a pair
// (a, b) adds pairs from events that src relates a to, to events that dst relates b to.
func (b *Builder) ends(x Node, v Vars) (src, dst Node, ok bool) {
	n := b.nodes[x]
	left, right := b.nodes[n.x].of&v != 0, b.nodes[n.y].of&v != 0
	switch {
	case n.of&v == 0:
		return b.Empty(false), b.Empty(false), !n.set
	case n.set || n.recursions != 0:
		return 0, 0, false
	case n.op == OpChoice:
		id := b.Identity(b.Full(true))
		return id, id, true
	case n.op == relop.Union:
		src, dst, ok = b.ends(n.x, v)
		src2, dst2, ok2 := b.ends(n.y, v)
		if ok && ok2 {
			return b.Union(src, src2), b.Union(dst, dst2), true
		}
		return 0, 0, false
	case left == right || n.op == relop.Diff && right:
		return 0, 0, false
	}
	if left {
		src, dst, ok = b.ends(n.x, v)
	} else {
		src, dst, ok = b.ends(n.y, v)
	}
	if !ok {
		return 0, 0, false
	}
	switch n.op {
	case relop.Inter, relop.Diff:
		return src, dst, true
	case relop.From:
		return b.To(src, n.y), dst, left
	case relop.To:
		return src, b.To(dst, n.y), left
	case relop.Seq:
		if left {
			return src, b.Seq(dst, n.y), true
		}
		return b.Seq(src, b.Inverse(n.x)), dst, true
	}
	return 0, 0, false
}

// emit makes sure that a node has code, after that of its operands, and returns its slot.
// Slots of sets are negative until link: -2 is the first.
func (e *emitter) emit(x Node) Slot {
	if x == 0 || e.slots[x] != none {
		return e.slots[x]
	}
	n := e.nodes[x]
	switch n.op {
	case OpProjection:
		e.emit(n.x)
		e.slots[x] = e.slots[n.y]
		return e.slots[x]
	case OpFixpoint:
		e.fixpoint(n)
		e.slots[x] = 0 // it has no value of its own
		return 0
	}
	in := instr{op: n.op}
	if n.op != OpChoice {
		in.x, in.y = e.emit(n.x), e.emit(n.y)
	}
	in.dst = e.newSlot(n.set)
	e.slots[x] = in.dst
	switch n.op {
	case OpInput:
		e.plan.Inputs = append(e.plan.Inputs, Input{n.name, in.dst, n.set, n.of})
	case OpChoice, OpRecursive:
	default:
		e.append(n, in)
	}
	return in.dst
}

func (e *emitter) newSlot(set bool) Slot {
	if set {
		e.plan.slots++
		return -1 - Slot(e.plan.slots)
	}
	e.plan.rels++
	return Slot(e.plan.rels - 1)
}

// append puts a step where it belongs: into the innermost fixpoint that it depends on,
// or into the code of its stage.
func (e *emitter) append(n node, in instr) {
	for i := len(e.blocks) - 1; i >= 0; i-- {
		if b := &e.blocks[i]; n.recursions&b.recursion != 0 {
			b.code = append(b.code, in)
			return
		}
	}
	e.appendTo(n.of.stage(), in)
}

func (e *emitter) appendTo(at int, in ...instr) {
	s := &e.plan.stages[at]
	if e.reports {
		s.reports = append(s.reports, in...)
	} else {
		s.code = append(s.code, in...)
	}
}

// fixpoint emits a fixpoint with its body.
func (e *emitter) fixpoint(n node) {
	e.blocks = append(e.blocks, block{recursion: e.nodes[n.x].recursions})
	var l loop
	for i, body := range n.bodies {
		l.reached = append(l.reached, e.emit(n.x+Node(i)))
		l.next = append(l.next, e.emit(body))
	}
	body := e.blocks[len(e.blocks)-1].code
	e.blocks = e.blocks[:len(e.blocks)-1]
	in := instr{op: OpFixpoint, inner: int32(len(body)), fix: int32(len(e.plan.loops))}
	e.plan.loops = append(e.plan.loops, l)
	all := append([]instr{in}, body...)
	for i := len(e.blocks) - 1; i >= 0; i-- {
		if b := &e.blocks[i]; n.recursions&b.recursion != 0 {
			b.code = append(b.code, all...)
			return
		}
	}
	e.appendTo(n.of.stage(), all...)
}

// link gives sets their slots, after those of the relations.
func (p *Plan) link() {
	fix := func(s *Slot) {
		if *s < none {
			*s = Slot(p.rels) - *s - 2
		}
	}
	for i := range p.stages {
		for _, code := range [][]instr{p.stages[i].code, p.stages[i].reports} {
			for j := range code {
				fix(&code[j].dst)
				fix(&code[j].x)
				fix(&code[j].y)
			}
		}
	}
	for i := range p.loops {
		for j := range p.loops[i].reached {
			fix(&p.loops[i].reached[j])
			fix(&p.loops[i].next[j])
		}
	}
	for i := range p.Inputs {
		fix(&p.Inputs[i].Slot)
	}
	for _, checks := range [][]Check{p.Checks, p.Reports} {
		for i := range checks {
			fix(&checks[i].X)
		}
	}
	for i := range p.Choices {
		fix(&p.Choices[i].Args[1]) // the set of linearisations
	}
	p.slots += p.rels
}

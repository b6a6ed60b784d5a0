package fast

import (
	"math/bits"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// poset is what is known of an order that a model chooses: pairs that it has for sure, and
// pairs of events that it will have one way or the other.
type poset struct {
	order []uint64 // transitive and irreflexive
	open  []uint64 // symmetric
}

func (p poset) decided() bool {
	var all uint64
	for _, row := range p.open {
		all |= row
	}
	return all == 0
}

// before is the events before a.
func (p poset) before(a event.ID) uint64 {
	var set uint64
	for b, row := range p.order {
		set |= row >> a & 1 << b
	}
	return set
}

// put orders a before b, with what follows. Pairs that this decides are no longer open.
func (p poset) put(a, b event.ID) {
	before, after := p.before(a)|1<<a, p.order[b]|1<<b
	for rest := before; rest != 0; rest &= rest - 1 {
		x := bits.TrailingZeros64(rest)
		p.order[x] |= after
		p.open[x] &^= after
	}
	for rest := after; rest != 0; rest &= rest - 1 {
		p.open[bits.TrailingZeros64(rest)] &^= before
	}
}

// newPoset takes memory for a poset from the arena; what is taken is given back by cutting
// the arena to its former length.
func (e *Engine) newPoset() poset {
	at, n := len(e.arena), e.n
	if cap(e.arena) < at+2*n {
		bigger := make([]uint64, at, 2*(at+2*n)) // posets in use keep the old memory
		copy(bigger, e.arena)
		e.arena = bigger
	}
	e.arena = e.arena[:at+2*n]
	return poset{e.arena[at : at+n : at+n], e.arena[at+n : at+2*n : at+2*n]}
}

func (e *Engine) clonePoset(p poset) poset {
	q := e.newPoset()
	copy(q.order, p.order)
	copy(q.open, p.open)
	return q
}

// choose makes the i-th choice of the model and those after it in every way.
func (e *Engine) choose(i int) {
	if i == len(e.plan.Choices) {
		e.accept()
		return
	}
	if c := &e.plan.Choices[i]; c.Family != plan.Completions {
		e.chooseListed(i, c)
		return
	}
	mark := len(e.arena)
	if p := e.newPoset(); e.begin(i, p) {
		e.posets = append(e.posets, p)
		e.complete(i)
		e.posets = e.posets[:i]
	}
	e.arena = e.arena[:mark]
}

// subset reports that a relation is part of another.
func subset(x, y []uint64) bool {
	for a, row := range x {
		if row&^y[a] != 0 {
			return false
		}
	}
	return true
}

// begin finds what all completions have in common. It returns false if there is no completion.
func (e *Engine) begin(i int, p poset) bool {
	c, seeded := &e.plan.Choices[i], i == len(e.plan.Choices)-1 && e.seed.order != nil
	pairs, must := e.frame.Rel(c.Args[0]), e.frame.Rel(c.Args[1])
	if seeded && e.placed && c.PairsKnown() && subset(must, e.seed.order) {
		copy(p.order, e.seed.order)
		copy(p.open, e.seed.open)
		return true
	}
	copy(p.order, must)
	if seeded {
		for a, row := range e.seed.order {
			p.order[a] |= row
		}
	}
	if plan.Close(p.order); plan.HasLoop(p.order) {
		return false
	}
	clear(p.open)
	for a, row := range pairs {
		for rest := row &^ (1 << a); rest != 0; rest &= rest - 1 {
			if b := bits.TrailingZeros64(rest); p.order[a]>>b&1 == 0 && p.order[b]>>a&1 == 0 {
				p.open[a] |= 1 << b
				p.open[b] |= 1 << a
			}
		}
	}
	return true
}

// complete decides what is open of the i-th choice, whose poset is on top, in every way.
func (e *Engine) complete(i int) {
	if e.halted() {
		return
	}
	p := e.posets[i]
	copy(e.frame.Rel(e.plan.Choices[i].Slot), p.order)
	v := plan.FirstChoice + plan.Var(i)
	if p.decided() {
		if e.passes(v.Stage(), 0) {
			e.choose(i + 1)
		}
		return
	}
	if !e.passes(v.Stage(), v.From()) || !e.bounded(i+1, len(e.plan.Choices), v.From()) {
		return
	}
	if i < len(e.plan.Choices)-1 {
		a, b := p.anyOpen()
		e.branch(i, a, b)
		e.branch(i, b, a)
		return
	}
	switch a, b, what := e.force(i); what {
	case forced:
		e.complete(i)
	case free:
		e.count()
	default:
		e.branch(i, a, b)
		e.branch(i, b, a)
	}
}

// branch goes on with a before b.
func (e *Engine) branch(i int, a, b event.ID) {
	mark, p := len(e.arena), e.posets[i]
	q := e.clonePoset(p)
	q.put(a, b)
	e.posets[i] = q
	e.complete(i)
	e.posets[i] = p
	e.arena = e.arena[:mark]
}

// anyOpen is an open pair.
func (p poset) anyOpen() (a, b event.ID) {
	for a, row := range p.open {
		if row != 0 {
			return a, bits.TrailingZeros64(row)
		}
	}
	return -1, -1
}

// bounded runs the stages of choices with lower bounds of what can be chosen, where partial
// are the variables that are known in part. It returns false if a check fails for good.
func (e *Engine) bounded(from, to int, partial plan.Vars) bool {
	for i := from; i < to; i++ {
		c, v := &e.plan.Choices[i], plan.FirstChoice+plan.Var(i)
		rows := e.frame.Rel(c.Slot)
		clear(rows)
		if c.Bounded(partial) {
			copy(rows, e.frame.Rel(c.Args[1]))
			if plan.Close(rows); plan.HasLoop(rows) {
				return false
			}
		}
		if !e.passes(v.Stage(), partial) {
			return false
		}
	}
	return true
}

// chooseListed makes a choice out of a family whose relations are listed one by one.
func (e *Engine) chooseListed(i int, c *plan.Choice) {
	mark := len(e.arena)
	p := e.newPoset()
	e.posets = append(e.posets, p)
	for r := range e.family(c) {
		copy(p.order, r.Words())
		clear(p.open)
		e.complete(i)
		if e.over() {
			break
		}
	}
	e.posets = e.posets[:i]
	e.arena = e.arena[:mark]
}

// family lists the relations of a family.
func (e *Engine) family(c *plan.Choice) func(func(rel.Rel) bool) {
	first := rel.FromWords(e.n, append([]uint64(nil), e.frame.Rel(c.Args[0])...))
	switch c.Family {
	case plan.Orientations:
		return first.Orientations(e.halted)
	case plan.Linearisations:
		set := *e.frame.Set(c.Args[1])
		return first.Linearisations(rel.SetOf(e.n, func(a int) bool { return set>>a&1 != 0 }), e.halted)
	}
	return rel.PartialOrders(first, rel.FromWords(e.n, append([]uint64(nil), e.frame.Rel(c.Args[1])...)), e.halted)
}

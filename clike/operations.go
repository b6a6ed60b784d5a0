package clike

import (
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
)

// What the functions do.

// postfix is a primary expression with what follows it.
func (l *lowerer) postfix(p *syntax.Postfix) (object, bool) {
	suffixes := p.Suffixes
	var o object
	ok := true
	if p.Primary.Name != "" && len(suffixes) > 0 && suffixes[0].Call != nil {
		o, ok = l.call(p, suffixes[0].Call)
		suffixes = suffixes[1:]
	} else {
		o, ok = l.primary(p.Primary)
	}
	for i := 0; ok && i < len(suffixes); i++ {
		switch s := suffixes[i]; {
		case s.Index != nil:
			o, ok = l.index(p, o, s)
		case s.Step != "":
			o = ofValue(l.change(l.here(p), o, s.Step[:1], number(1, arith.S32), true))
		case s.Member != "" && i+1 < len(suffixes) && suffixes[i+1].Call != nil:
			o, ok = l.member(p, o, s.Member, suffixes[i+1].Call)
			i++
		case s.Member != "":
			l.errorf(s, "locations have no members").WithHint("give each member a location of its own")
			return o, false
		default:
			l.errorf(p, "this is no function")
			return o, false
		}
	}
	return o, ok
}

// index is o[i].
func (l *lowerer) index(p *syntax.Postfix, o object, s *syntax.Suffix) (object, bool) {
	at := l.here(p)
	base := l.read(at, o)
	if o.addr != nil && o.Pointers == 0 { // a location of the test by its name
		base = newValue(o.addr, o.pointer())
	}
	if base.Pointers == 0 {
		l.errorf(p, "this is no array").WithHint("declare it in the initial state: int a[2];")
		return object{}, false
	}
	return l.dereference(p, l.compute(at, "+", base, l.list(s.Index)))
}

// initialise is atomic_init: a store that is not atomic.
func (c *call) initialise() value {
	a := c.access(event.Weak)
	a.scope = event.ScopeThread
	c.emit(&store{c.place, a, c.target.addr, c.convert(c.values[0], c.target.Type).expr})
	return zero()
}

func (c *call) load() value {
	dst := c.temporary(c.target.Type)
	c.emit(&load{c.place, c.access(loadOrder(c.order)), dst, c.target.addr})
	return newValue(dst, valueType(c.target.Type))
}

func (c *call) store() value {
	c.emit(&store{c.place, c.access(storeOrder(c.order)), c.target.addr, c.convert(c.values[0], c.target.Type).expr})
	return zero()
}

// loadOrder and storeOrder are the orders of the read and of the write of an atomic.
func loadOrder(o event.Order) event.Order {
	if o == event.AcqRel {
		return event.Acquire
	}
	return o
}

func storeOrder(o event.Order) event.Order {
	if o == event.AcqRel {
		return event.Release
	}
	return o
}

func (c *call) fetch() value {
	v := c.convert(c.values[0], c.target.Type)
	if c.target.Pointers > 0 && c.values[0].Pointers == 0 && !c.exchange {
		v.expr = operation{arith.Mul, arith.S64, []expr{v.expr, constant(event.Int(event.ElemSize))}}
	}
	return c.update(c.place, c.target, v, c.function.op, c.exchange, c.access(c.order))
}

// compareExchange is compare_exchange_strong and weak.
func (c *call) compareExchange() value {
	old, ok := c.temporary(c.target.Type), c.temporary(intType)
	c.swap(old, ok, c.expected, c.values[0])
	b := &branch{place: c.place, cond: operation{arith.Eq, arith.S32, []expr{ok, constant(event.Int(0))}}}
	c.emit(b)
	c.correct(newValue(old, valueType(c.target.Type)))
	b.otherwise, b.join = c.pc(), c.pc()
	return newValue(ok, intType)
}

// compareAndSwap is atomicCAS and atomic_cmpxchg, which return what they read.
func (c *call) compareAndSwap() value {
	old := c.temporary(c.target.Type)
	c.failure = failureOrder[c.order]
	c.swap(old, none, c.values[0], c.values[1])
	return newValue(old, valueType(c.target.Type))
}

func (c *call) swap(old, ok register, expected, x value) {
	c.emit(&swap{
		place: c.place, access: c.access(c.order), old: old, ok: ok, addr: c.target.addr,
		expected: c.convert(expected, c.target.Type).expr, x: c.convert(x, c.target.Type).expr,
		failure: c.failure, mayFail: c.mayFail,
	})
}

func (c *call) fence() value {
	if c.spaces == 0 {
		c.spaces = inGlobal | inLocal
	}
	c.emit(&fence{c.place, access{order: c.order, scope: c.scope, spaces: c.spaces | c.dialect.tags, name: c.name}})
	return zero()
}

// barrier is a barrier of the work-group, or of the warp.
func (c *call) barrier() value {
	if c.spaces == 0 {
		c.spaces = inGlobal | inLocal
	}
	m := &meet{place: c.place, room: c.room, arrives: true, waits: true, dst: none}
	m.room.name = c.label
	m.access = access{order: event.AcqRel, scope: c.scope, spaces: c.spaces | c.dialect.tags, name: c.name}
	if c.vote {
		m.vote = c.truth(c.values[0]).expr
		m.dst = c.temporary(intType)
	}
	c.emit(m)
	if m.dst == none {
		return zero()
	}
	return newValue(m.dst, intType)
}

// meet is arrive and wait of a cuda::barrier. Its count is the initial value of its location, or
// all threads that name it.
func (c *call) meet(arrives, waits bool) value {
	name, count := c.barrierAt()
	c.emit(&meet{
		place: c.place, room: room{unit: c.target.Scope, name: name, count: count}, arrives: arrives, waits: waits, dst: none,
		access: access{order: event.AcqRel, scope: c.target.Scope, spaces: c.space(c.target.Type), name: c.name},
	})
	return zero()
}

// barrierAt is the location of the barrier, and how many arrivals it counts.
func (c *call) barrierAt() (name string, count int) {
	r, ok := c.target.addr.(register)
	if !ok {
		c.diags.Errorf(c.span, "which barrier this is depends on more than its name").WithHint("make the barrier a parameter")
		return "", 0
	}
	return c.world.barrier(c.thread.initial[r])
}

// waitWhile is wait: it returns when the object holds something else (C++, [atomics.wait]).
func (c *call) waitWhile() value {
	head := c.pc()
	v := c.load()
	b := &branch{place: c.place, cond: c.compute(c.place, "==", v, c.values[0]).expr}
	c.emit(b)
	c.emit(&jump{c.place, head})
	b.otherwise, b.join = c.pc(), c.pc()
	return zero()
}

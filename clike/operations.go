package clike

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
)

// What the functions do.

// postfix returns a primary expression with what follows it.
func (l *lowerer) postfix(p *syntax.Postfix) (object, bool) {
	suffixes, from := p.Suffixes, l.mark()
	var o object
	ok := true
	coordinate, isBuiltIn := l.builtIn(p)
	switch {
	case isBuiltIn:
		o, suffixes = coordinate, suffixes[1:]
	case p.Primary.Name != "" && len(suffixes) > 0 && suffixes[0].Call != nil:
		o, ok = l.call(p, suffixes[0].Call)
		suffixes = suffixes[1:]
	default:
		o, ok = l.primary(p.Primary)
	}
	for i := 0; ok && i < len(suffixes); i++ {
		switch s := suffixes[i]; {
		case s.Index != nil:
			o, ok = l.index(p, o, s, from)
		case s.Step != "":
			o = ofValue(l.change(l.here(p), o, s.Step[:1], number(1, arith.S32), true))
		case s.Member != "" && i+1 < len(suffixes) && suffixes[i+1].Call != nil:
			o, ok = l.member(p, o, s.Member, suffixes[i+1].Call, from)
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

// index is o[i], where what has led to o begins at from.
func (l *lowerer) index(p *syntax.Postfix, o object, s *syntax.Suffix, from mark) (object, bool) {
	at := l.here(p)
	base := l.read(at, o)
	if o.addr != nil && o.Pointers == 0 { // a location of the test by its name
		base = newValue(o.addr, o.pointer())
	}
	if base.Pointers == 0 {
		l.errorf(p, "this is no array").WithHint("declare it in the initial state: int a[2];")
		return object{}, false
	}
	mid := l.mark()
	i := l.list(s.Index)
	base, i = l.orderValues(l.dialect.sequencing.index, at, base, i, from, mid)
	return l.dereference(p, l.compute(at, "+", base, i))
}

// initialise lowers atomic_init: a store that is not atomic.
func (c *call) initialise() value {
	a := c.access(event.Weak)
	a.Scope = event.ScopeThread
	c.emit(&Store{c.Place, a, c.target.addr, c.convert(c.values[0], c.target.Type).Expr})
	return zero()
}

func (c *call) load() value {
	dst := c.temporary(c.target.Type)
	c.emit(&Load{c.Place, c.access(loadOrder(c.order)), dst, c.target.addr})
	return newValue(dst, valueType(c.target.Type))
}

func (c *call) store() value {
	c.emit(&Store{c.Place, c.access(storeOrder(c.order)), c.target.addr, c.convert(c.values[0], c.target.Type).Expr})
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
	v := c.scaled(c.values[0], c.target.Type)
	if c.exchange {
		v = c.convert(c.values[0], c.target.Type)
	}
	return c.update(c.Place, c.target, v, c.function.op, c.exchange, c.access(c.order))
}

// compareExchange lowers compare_exchange_strong and weak.
func (c *call) compareExchange() value {
	old, ok := c.temporary(c.target.Type), c.temporary(intType)
	c.swap(old, ok, c.read(c.Place, c.expected), c.values[0])
	b := &Branch{Place: c.Place, Cond: Operation{arith.Eq, arith.S32, []Expr{ok, Constant(event.Int(0))}}}
	c.emit(b)
	c.write(c.Place, c.expected, newValue(old, valueType(c.target.Type)))
	b.Otherwise = c.pc()
	return newValue(ok, intType)
}

// tryLock takes a lock if it is free, and returns whether it was.
func (c *call) tryLock() value {
	free := c.temporary(intType)
	c.failure = event.Relaxed
	c.swap(None, free, zero(), number(1, arith.S32))
	return newValue(free, intType)
}

// lock waits until a lock is free, and takes it.
func (c *call) lock() value {
	head := c.pc()
	taken := &Branch{Place: c.Place, Cond: c.isZero(c.tryLock()).Expr}
	c.emit(taken)
	c.emit(&Jump{c.Place, head})
	taken.Otherwise = c.pc()
	return zero()
}

// compareAndSwap lowers atomicCAS and atomic_cmpxchg, which return what they read.
func (c *call) compareAndSwap() value {
	old := c.temporary(c.target.Type)
	c.failure = failureOrder[c.order]
	c.swap(old, None, c.values[0], c.values[1])
	return newValue(old, valueType(c.target.Type))
}

func (c *call) swap(old, ok Register, expected, x value) {
	c.emit(&Swap{
		Place: c.Place, Access: c.access(c.order), Old: old, OK: ok, Addr: c.target.addr,
		Expected: c.convert(expected, c.target.Type).Expr, X: c.convert(x, c.target.Type).Expr,
		Failure: c.failure, MayFail: c.mayFail,
	})
}

func (c *call) fence() value {
	c.emit(&Fence{c.Place, Access{Order: c.order, Scope: c.scope, Spaces: c.spaces | c.dialect.tags, Name: c.name}})
	return zero()
}

// barrier returns a barrier of the work-group, or of the warp.
func (c *call) barrier() value {
	m := &Meet{Place: c.Place, Room: c.room, Arrives: true, Waits: true, Dst: None}
	m.Room.Name = c.label
	m.Access = Access{Order: event.AcqRel, Scope: c.scope, Spaces: c.spaces | c.dialect.tags, Name: c.name}
	if c.vote {
		m.Vote = c.truth(c.values[0]).Expr
		m.Dst = c.temporary(intType)
	}
	c.emit(m)
	if m.Dst == None {
		return zero()
	}
	return newValue(m.Dst, intType)
}

// meet lowers arrive and wait of a cuda::barrier. Its count is the initial value of its location,
// or all threads that name it.
func (c *call) meet(arrives, waits bool) value {
	name, count := c.barrierAt()
	c.emit(&Meet{
		Place: c.Place, Room: Room{Unit: c.target.Scope, Name: name, Count: count}, Object: true, Arrives: arrives, Waits: waits, Dst: None,
		Access: Access{Order: event.AcqRel, Scope: c.target.Scope, Spaces: c.space(c.target.Type), Name: c.name},
	})
	return zero()
}

// barrierAt returns the location of the barrier, and the number of arrivals that it counts.
func (c *call) barrierAt() (name string, count int) {
	r, ok := c.target.addr.(Register)
	if !ok || !c.thread.Initial[r].IsAddress() {
		c.unknownBarrier(c.Place)
		return "", 0
	}
	c.barriers = append(c.barriers, barrierUse{c.Place, r})
	return c.world.barrier(c.thread.Initial[r])
}

// barrierUse is the place where a barrier is used, and the variable that points to it.
type barrierUse struct {
	Place
	of Register
}

// checkBarriers checks that each barrier is the one to which its variable points at first.
func (l *lowerer) checkBarriers() {
	for _, use := range l.barriers {
		if l.thread.assigns(use.of) {
			l.unknownBarrier(use.Place)
		}
	}
}

func (l *lowerer) unknownBarrier(at Place) {
	l.diags.Errorf(l.thread.span(at), "it is not known which barrier this is").WithHint("name a parameter that points to the barrier, and assign nothing to it")
}

// waitWhile lowers wait: it returns when the object holds something else (C++, [atomics.wait]).
func (c *call) waitWhile() value {
	head := c.pc()
	v := c.load()
	b := &Branch{Place: c.Place, Cond: c.compute(c.Place, "==", v, c.values[0]).Expr}
	c.emit(b)
	c.emit(&Jump{c.Place, head})
	b.Otherwise = c.pc()
	return zero()
}

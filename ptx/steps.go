package ptx

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/language/unwind"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// access starts the event of a memory access: address, space, order and cache operator.
func (w *walk) access(in *Instr, kind event.Kind) (event.Event, unwind.Deps, error) {
	e := event.Event{
		Kind: kind, Volatile: in.Op.Volatile, Order: in.Order(), Scope: in.Scope(),
		Tags: in.tags(), Mnemonic: in.Opcode,
	}
	if in.Op.Vector > 0 && in.Op.Class() != isa.ClassAtomic {
		e.Vector = w.vector(in)
	}
	at, err := w.pointsTo(in, in.Addr)
	if err != nil {
		return e, nil, err
	}
	e.Addr = at.Value
	if err := in.checkAligned(e.Addr); err != nil {
		return e, nil, err
	}
	return e, at.From, w.place(in, &e)
}

// pointsTo is the address that an operand of the instruction stands for, its offset included.
func (w *walk) pointsTo(in *Instr, o *Operand) (unwind.Held, error) {
	at, err := w.operand(o)
	if err == nil && o.Offset != 0 {
		at.Value, err = w.apply(in, arith.Add, arith.U64, at.Value, event.Const(event.Int(o.Offset)))
	}
	if err == nil {
		w.note(in.At, at.Value, true)
	}
	return at, err
}

// tags are what PTX alone says of the events of an access.
func (in *Instr) tags() event.Tags {
	proxy := in.Proxy()
	if in.Op.Space == isa.Const {
		proxy = isa.ProxyConstant
	}
	tags := cacheTag(in.Cache()) | proxyTag(proxy)
	if in.Op.MMIO {
		tags |= mmio
	}
	return tags
}

// checkAligned checks that a vector access is at a multiple of its size (PTX ISA, "Vectors",
// "Addresses as Operands"). Locations are.
func (in *Instr) checkAligned(addr event.Expr) error {
	c, known := addr.(event.Const)
	size := in.bytes()
	if in.Op.Vector == 0 || !known || !event.Value(c).IsAddress() || (c.Int-in.inVector)%size == 0 {
		return nil
	}
	return src.Errorf(in.Addr.At, "%s is not aligned: its address is no multiple of %d bytes", in.Opcode, size).
		WithHint("locations are aligned, so the number of the first element is a multiple of %d", size/event.ElemSize)
}

// vector is the number of the vector access that a scalar one is an element of.
func (w *walk) vector(in *Instr) int {
	if in.Element == 0 {
		w.vectors++
	}
	return w.vectors
}

// spaces are where what is in a state space lies: constants, parameters and what is local to
// a thread are no shared memory.
var spaces = map[isa.Space]isa.Space{
	isa.Global: isa.Global, isa.Shared: isa.Shared, isa.SharedCluster: isa.Shared, isa.Const: isa.Global, isa.Param: isa.Global, isa.Local: isa.Global,
}

// place checks the state space of an access, and gives it the cache operator that it has
// by default, if it can have one: shared memory is not cached, and strong accesses and
// the other proxies have none (PTX ISA, "Cache Operators").
func (w *walk) place(in *Instr, e *event.Event) error {
	region, named := isa.Generic, spaces[in.Op.Space]
	if c, ok := e.Addr.(event.Const); ok {
		var err error
		if region, err = w.regionOf(in.Addr, event.Value(c)); err != nil {
			return err
		}
		if named != isa.Generic && named != region {
			return src.Errorf(in.At, "%s accesses a location that is not in its state space", in.Opcode).
				WithHint("the memory map puts each location in global or shared memory")
		}
	}
	cache := cacheOps[in.Op.DefaultCache()]
	cached := named != isa.Shared && e.Order == event.Weak && ProxyOf(e) == isa.ProxyGeneric
	byDefault := cached && cache != CacheNone && cacheOf(e) == CacheNone
	w.placed = w.placed || byDefault || named != isa.Generic
	if byDefault && region != isa.Shared {
		e.Tags |= cacheTag(cache) | cacheByDefault
	}
	return nil
}

// regionOf finds the state space of a constant address.
func (w *walk) regionOf(o *Operand, v event.Value) (isa.Space, error) {
	l, err := event.Resolve(w.locs, v)
	if err != nil {
		return isa.Generic, src.Errorf(o.At, "%v", err)
	}
	if w.locs[l].Region == event.Shared {
		return isa.Shared, nil
	}
	return isa.Global, nil
}

func (w *walk) load(in *Instr) error {
	e, from, err := w.access(in, event.Read)
	if err != nil {
		return err
	}
	if in.Op.Space == isa.Param {
		return w.parameter(in, e.Addr, from)
	}
	n := len(w.Path.Events)
	e.Data = event.ReadOf(n)
	w.event(e, from, nil, nil)
	value, err := w.whole(in, in.Type(0), e.Data)
	if err != nil {
		return err
	}
	return w.set(in.Dst, value, in.Type(0), unwind.Deps{n})
}

// parameter is a load of what the kernel was given: the initial value of a location, which
// nothing changes, so it is no event (PTX ISA, "Parameter State Space").
func (w *walk) parameter(in *Instr, addr event.Expr, from unwind.Deps) error {
	c, known := addr.(event.Const)
	if !known {
		return src.Errorf(in.Addr.At, "nobody knows which parameter %s loads", in.Opcode).WithHint("name it: [p]")
	}
	l, err := event.Resolve(w.locs, event.Value(c))
	if err != nil {
		return src.Errorf(in.Addr.At, "%v", err)
	}
	return w.set(in.Dst, event.Const(w.locs[l].Init.Wrap(in.Type(0))), in.Type(0), from)
}

func (w *walk) store(in *Instr) error {
	e, from, err := w.access(in, event.Write)
	if err != nil {
		return err
	}
	args, err := w.Sources(in)
	if err != nil {
		return err
	}
	if e.Data, err = w.stored(in, args[0].Value); err != nil {
		return err
	}
	w.event(e, from, args[0].From, nil)
	return nil
}

func (w *walk) fence(in *Instr) error {
	w.event(event.Event{Kind: event.Fence, Order: in.Order(), Scope: in.Scope(), Tags: proxyTag(in.Op.Proxy), Mnemonic: in.Opcode}, nil, nil, nil)
	return nil
}

// atomicOp is an atomic whose read is done: a read and a write of one location with
// nothing between them.
type atomicOp struct {
	*Instr
	write event.Event // its Data is still that of the read
	addr  unwind.Deps
	read  int // the number of the read
	old   event.Expr
	args  []unwind.Held
}

// atomicOrders are the orders of the read and of the write of an atomic with the given
// order (PTX ISA, "Release and Acquire Patterns").
var atomicOrders = map[event.Order]struct{ read, write event.Order }{
	event.Relaxed: {event.Relaxed, event.Relaxed},
	event.Acquire: {event.Acquire, event.Relaxed},
	event.Release: {event.Relaxed, event.Release},
	event.AcqRel:  {event.Acquire, event.Release},
}

// atomic is atom and red. The destination gets the old value.
func (w *walk) atomic(in *Instr) error {
	if all := in.numbers(); all != nil {
		return w.tuple(in, all)
	}
	e, from, err := w.access(in, event.Read)
	if err != nil {
		return err
	}
	args, err := w.Sources(in)
	if err != nil {
		return err
	}
	n := len(w.Path.Events)
	e.Atomic, e.Data = true, event.ReadOf(n)
	if in.Dst == nil {
		e.Tags |= noReturn
	}
	read := e
	read.Order = atomicOrders[e.Order].read
	w.event(read, from, nil, nil)
	old, err := w.whole(in, in.Type(0), e.Data)
	if err != nil {
		return err
	}
	e.Kind, e.Order = event.Write, atomicOrders[e.Order].write
	a := &atomicOp{in, e, from, n, old, args}
	if in.Op.Update == isa.UpdateCas {
		return w.compareAndSwap(a)
	}
	if err := w.update(a); err != nil {
		return err
	}
	return w.setOld(a)
}

// setOld gives the destination of an atomic the old value; red has none.
func (w *walk) setOld(a *atomicOp) error {
	if a.Dst == nil {
		return nil
	}
	return w.set(a.Dst, a.old, a.Type(0), unwind.Deps{a.read})
}

// update is the write of an atomic that always writes. That of exch does not depend
// on what was read.
func (w *walk) update(a *atomicOp) error {
	if a.Op.Update == isa.UpdateExch {
		return w.atomicWrite(a, arith.Wrap, a.args[:1], nil)
	}
	operand := unwind.Held{Value: event.Const(event.Int(-1))}
	if len(a.args) > 0 {
		operand = a.args[0]
	} // else inc or dec: Table 5 of the paper writes atom.inc for atomicAdd(…, 1), without a bound
	op, _ := a.update()
	return w.atomicWrite(a, op, []unwind.Held{{Value: a.old, From: unwind.Deps{a.read}}, operand}, nil)
}

// compareAndSwap writes if the old value is the expected one, and otherwise writes
// nothing (PTX ISA, "atom"). Whether it writes depends on what it reads and expects: a
// control dependency.
func (w *walk) compareAndSwap(a *atomicOp) error {
	equal, err := w.apply(a.Instr, arith.Eq, a.Type(0), a.old, a.args[0].Value)
	if err != nil {
		return err
	}
	decides := a.args[0].From.Union(unwind.Deps{a.read})
	succeeds, known := w.Truth(equal)
	if !known {
		other := w.fork()
		other.Assume(equal, false)
		if err := other.failCAS(a, decides); err != nil {
			return err
		}
		other.guard = nil
		w.Assume(equal, true)
		succeeds = true
	}
	if !succeeds {
		return w.failCAS(a, decides)
	}
	if w.Opts.CASFailWrites {
		return w.writeChoice(a, a.args[1], decides)
	}
	if err := w.atomicWrite(a, arith.Wrap, a.args[1:2], decides); err != nil {
		return err
	}
	return w.setOld(a)
}

func (w *walk) failCAS(a *atomicOp, decides unwind.Deps) error {
	if w.Opts.CASFailWrites {
		return w.writeChoice(a, unwind.Held{Value: a.old}, decides)
	}
	return w.setOld(a)
}

// writeChoice is the write of a cas that always writes. What it writes is a choice of two
// values, so it has data dependencies from both and from what decides; Dartagnan stores
// such a choice. Nothing decides whether it writes, so it has no control dependency.
func (w *walk) writeChoice(a *atomicOp, chosen unwind.Held, decides unwind.Deps) error {
	chosen.From = decides.Union(a.args[1].From)
	if err := w.atomicWrite(a, arith.Wrap, []unwind.Held{chosen}, nil); err != nil {
		return err
	}
	return w.setOld(a)
}

// atomicWrite appends the write of an atomic: the value op(args…).
func (w *walk) atomicWrite(a *atomicOp, op arith.Op, args []unwind.Held, ctrl unwind.Deps) error {
	x, data, err := w.combine(a.Instr, op, a.Type(0), args)
	if err != nil {
		return err
	}
	e := a.write
	if e.Data, err = w.stored(a.Instr, x); err != nil {
		return err
	}
	n := w.event(e, a.addr, data, ctrl)
	w.Path.Rmw = append(w.Path.Rmw, event.Pair{a.read, n})
	return nil
}

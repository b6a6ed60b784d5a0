package ptx

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// access starts the event of a memory access: address, space, order and cache operator.
func (w *walk) access(in *Instr) (e event.Event, at path.Held, err error) {
	e = event.Event{Volatile: in.Op.Volatile, Order: in.Order(), Scope: in.Scope(), Tags: in.tags(), Mnemonic: in.Opcode}
	if in.Op.Vector > 0 && in.Op.Class() != isa.ClassAtomic {
		e.Vector = w.vector(in)
	}
	if at, err = w.pointsTo(in, in.Addr); err != nil {
		return e, at, err
	}
	if err := in.checkAligned(at.Value); err != nil {
		return e, at, err
	}
	return e, at, w.place(in, &e, at.Value)
}

// pointsTo returns the address that an operand of the instruction stands for, its offset included.
func (w *walk) pointsTo(in *Instr, o *Operand) (path.Held, error) {
	at, err := w.operand(o)
	if err == nil && o.Offset != 0 {
		at.Value, err = w.apply(in, arith.Add, arith.U64, at.Value, event.Const(event.Int(o.Offset)))
	}
	if err == nil {
		w.Note(at.Value, true)
	}
	return at, err
}

// tags returns the tags of PTX for the events of an access.
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

// vector returns the number of the vector access that a scalar one is an element of.
func (w *walk) vector(in *Instr) int {
	if in.Element == 0 {
		w.vectors++
	}
	return w.vectors
}

// spaces maps the state space of an access to the space of its memory: constants, parameters and
// local memory are not shared memory.
var spaces = map[isa.Space]isa.Space{
	isa.Global: isa.Global, isa.Shared: isa.Shared, isa.SharedCluster: isa.Shared, isa.Const: isa.Global, isa.Param: isa.Global, isa.Local: isa.Global,
}

// place checks the state space of an access, and gives it the cache operator that it has
// by default, if it can have one: shared memory is not cached, and strong accesses and
// the other proxies have none (PTX ISA, "Cache Operators").
func (w *walk) place(in *Instr, e *event.Event, addr event.Expr) error {
	region, named := isa.Generic, spaces[in.Op.Space]
	if c, ok := addr.(event.Const); ok {
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
	if w.locs[l].Region == litmus.Shared {
		return isa.Shared, nil
	}
	return isa.Global, nil
}

func (w *walk) load(in *Instr) error {
	e, at, err := w.access(in)
	if err != nil {
		return err
	}
	if in.Op.Space == isa.Param {
		return w.parameter(in, at)
	}
	read := w.Read(e, at)
	value, err := w.whole(in, in.Type(0), read.Value)
	if err != nil {
		return err
	}
	return w.set(in.Dst, value, in.Type(0), read.From)
}

// parameter is a load of what the kernel was given: the initial value of a location, which
// nothing changes, so it is no event (PTX ISA, "Parameter State Space").
func (w *walk) parameter(in *Instr, at path.Held) error {
	c, known := at.Value.(event.Const)
	if !known {
		return src.Errorf(in.Addr.At, "it is not known which parameter %s loads", in.Opcode).WithHint("name it: [p]")
	}
	l, err := event.Resolve(w.locs, event.Value(c))
	if err != nil {
		return src.Errorf(in.Addr.At, "%v", err)
	}
	return w.set(in.Dst, event.Const(w.locs[l].Init.Wrap(in.Type(0))), in.Type(0), at.From)
}

func (w *walk) store(in *Instr) error {
	e, at, err := w.access(in)
	if err != nil {
		return err
	}
	args, err := w.Sources(in)
	if err != nil {
		return err
	}
	data := args[0]
	if data.Value, err = w.stored(in, data.Value); err != nil {
		return err
	}
	w.Write(e, at, data, nil)
	return nil
}

func (w *walk) fence(in *Instr) error {
	w.Fence(event.Event{Order: in.Order(), Scope: in.Scope(), Tags: proxyTag(in.Op.Proxy), Mnemonic: in.Opcode})
	return nil
}

// atomicOp is an atomic after its read: a read and a write of one location with nothing between
// them.
type atomicOp struct {
	*Instr
	write event.Event
	addr  path.Held
	read  path.Held
	old   path.Held // what was read, in the type of the instruction
	args  []path.Held
}

// atomic executes atom and red. The destination gets the old value.
func (w *walk) atomic(in *Instr) error {
	if all := in.numbers(); all != nil {
		return w.tuple(in, all)
	}
	e, at, err := w.access(in)
	if err != nil {
		return err
	}
	args, err := w.Sources(in)
	if err != nil {
		return err
	}
	e.Atomic = true
	if in.Dst == nil {
		e.Tags |= noReturn
	}
	write := e
	e.Order, write.Order = e.Order.OfRmw()
	read := w.Read(e, at)
	old := read
	if old.Value, err = w.whole(in, in.Type(0), read.Value); err != nil {
		return err
	}
	a := &atomicOp{in, write, at, read, old, args}
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
	return w.set(a.Dst, a.old.Value, a.Type(0), a.old.From)
}

// update is the write of an atomic that always writes. That of exch does not depend
// on what was read.
func (w *walk) update(a *atomicOp) error {
	if a.Op.Update == isa.UpdateExch {
		return w.atomicWrite(a, arith.Wrap, a.args[:1], nil)
	}
	operand := path.Held{Value: event.Const(event.Int(-1))}
	if len(a.args) > 0 {
		operand = a.args[0]
	} // else inc or dec: Table 5 of the paper writes atom.inc for atomicAdd(…, 1), without a bound
	op, _ := a.update()
	return w.atomicWrite(a, op, []path.Held{a.old, operand}, nil)
}

// compareAndSwap writes if the old value is the expected one, and otherwise writes
// nothing (PTX ISA, "atom"). Whether it writes depends on what it reads and expects: a
// control dependency.
func (w *walk) compareAndSwap(a *atomicOp) error {
	equal, err := w.apply(a.Instr, arith.Eq, a.Type(0), a.old.Value, a.args[0].Value)
	if err != nil {
		return err
	}
	decides := a.args[0].From.Union(a.old.From)
	succeeds, other := w.decide(equal, true)
	if other != nil {
		if err := other.failCAS(a, decides); err != nil {
			return err
		}
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

func (w *walk) failCAS(a *atomicOp, decides path.Deps) error {
	if w.Opts.CASFailWrites {
		return w.writeChoice(a, a.old, decides)
	}
	return w.setOld(a)
}

// writeChoice is the write of a cas that always writes. What it writes is a choice of two
// values, so it has data dependencies from both and from what decides; Dartagnan stores
// such a choice. Nothing decides whether it writes, so it has no control dependency.
func (w *walk) writeChoice(a *atomicOp, chosen path.Held, decides path.Deps) error {
	chosen.From = decides.Union(a.args[1].From)
	if err := w.atomicWrite(a, arith.Wrap, []path.Held{chosen}, nil); err != nil {
		return err
	}
	return w.setOld(a)
}

// atomicWrite appends the write of an atomic: the value op(args…).
func (w *walk) atomicWrite(a *atomicOp, op arith.Op, args []path.Held, ctrl path.Deps) error {
	x, data, err := w.combine(a.Instr, op, a.Type(0), args)
	if err != nil {
		return err
	}
	if x, err = w.stored(a.Instr, x); err != nil {
		return err
	}
	w.Rmw(a.read, a.write, a.addr, path.Held{Value: x, From: data}, ctrl)
	return nil
}

package launch

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Access is an access of a thread to a cell of shared or global memory. An instruction with a
// vector makes one access for each element; an atomic of a packed type makes one for each of its
// numbers (PTX ISA, "Memory Consistency Model", "Vector Data-types", "Packed Data-types").
type Access struct {
	Thread  int // number in the grid
	Block   int
	Cluster int // number of the cluster; each block is a cluster of its own if the kernel does not give their size
	Instr   *kernel.Instr
	Op      *isa.Opcode
	Object  *Object
	Offset  int64 // in bytes
	Bytes   int
	Reads   bool
	Writes  bool
	Value   uint64 // the value read, or the value written if it does not read
	Next    uint64 // the value that an atomic writes
	// Operands are the operands of an atomic after the address.
	Operands []int64
	number   int     // index among the accesses of the report
	copied   *flight // the asynchronous copy that it is part of, or nil
	clock    uint32
	seen     []uint32 // clocks of the access's memory: what barriers ordered before it
	index    int      // index of the thread in its block
}

// cell is where an instruction accesses memory.
type cell struct {
	object *Object
	offset int64
}

// access executes ld and st.
func (m *machine) access(t *thread, s *step) (bool, error) {
	if len(s.Ops) < 2 {
		return false, src.Errorf(s.At, "%s takes two operands", s.Opcode)
	}
	loads := s.op.Code != isa.St
	value, at := &s.Ops[0], &s.Ops[1]
	if !loads {
		value, at = at, value
	}
	typ := s.op.Type(0).Int()
	if typ.Bits > 64 {
		return false, refuse(s.At, "accesses of %d bits are not modelled", typ.Bits)
	}
	parts := []kernel.Operand{*value}
	if value.Kind == kernel.Vector {
		parts = value.List
	}
	n := typ.Bits / 8
	c, err := m.cell(t, s, at, n*len(parts))
	if err != nil {
		return false, err
	}
	for i := range parts {
		to := cell{c.object, c.offset + int64(i*n)}
		if loads {
			v := to.object.load(to.offset, n)
			m.record(t, s, to, Access{Bytes: n, Reads: true, Value: v})
			err = m.set(t, &parts[i], int64(v), 0, typ)
		} else {
			err = m.store(t, s, to, &parts[i], typ)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func (m *machine) store(t *thread, s *step, to cell, from *kernel.Operand, typ arith.Type) error {
	v, err := m.value(t, from, typ.Bits)
	if err != nil {
		return err
	}
	n := typ.Bits / 8
	cut := uint64(v) << (64 - typ.Bits) >> (64 - typ.Bits)
	to.object.store(to.offset, n, cut)
	m.record(t, s, to, Access{Bytes: n, Writes: true, Value: cut})
	return nil
}

// atomic executes atom and red. A vector is one atomic for each element, the first element first.
func (m *machine) atomic(t *thread, s *step) (bool, error) {
	ops := s.Ops
	var results []kernel.Operand
	if s.op.Code == isa.Atom && len(ops) > 0 {
		results, ops = listOf(&ops[0]), ops[1:]
	}
	n := max(1, s.op.Vector)
	if len(ops) < len(s.computes.Sources) || results != nil && len(results) != n {
		return false, src.Errorf(s.At, "%s takes %d operands", s.Opcode, len(s.computes.Sources))
	}
	c, err := m.cell(t, s, &ops[0], s.op.Bytes())
	if err != nil {
		return false, err
	}
	typ := s.op.Type(0).Int()
	for i := range n {
		var operands []kernel.Operand
		for _, o := range ops[1:len(s.computes.Sources)] {
			all := listOf(&o)
			if len(all) != n {
				return false, src.Errorf(s.At, "%s takes vectors of %d elements", s.Opcode, n)
			}
			operands = append(operands, all[i])
		}
		old, err := m.update(t, s, cell{c.object, c.offset + int64(i*typ.Bits/8)}, operands)
		if err != nil {
			return false, err
		}
		if results != nil {
			if err := m.set(t, &results[i], int64(old), 0, typ); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// update executes an atomic of one element and returns the old value. Each number of a packed type
// is an access of its own.
func (m *machine) update(t *thread, s *step, c cell, operands []kernel.Operand) (old uint64, err error) {
	typ := s.op.Type(0).Int()
	n, unit := typ.Bits/8, s.op.Unit()
	old = c.object.load(c.offset, n)
	sources := []int64{typ.Wrap(int64(old))}
	for i := range operands {
		v, err := m.value(t, &operands[i], typ.Bits)
		if err != nil {
			return 0, err
		}
		sources = append(sources, typ.Wrap(v))
	}
	next, err := m.evaluator.Apply(s.computes, sources...)
	if err != nil {
		return 0, err
	}
	c.object.store(c.offset, n, uint64(next[0]))
	for at := 0; at < n; at += unit {
		part := func(v int64) int64 { return v << (64 - 8*(at+unit)) >> (64 - 8*unit) }
		a := Access{
			Bytes:  unit,
			Reads:  true,
			Writes: true,
			Value:  bitsOf(part(int64(old)), unit),
			Next:   bitsOf(part(next[0]), unit),
		}
		for _, v := range sources[1:] {
			a.Operands = append(a.Operands, part(v))
		}
		m.record(t, s, cell{c.object, c.offset + int64(at)}, a)
	}
	return old, nil
}

// bitsOf returns the low n bytes of a number.
func bitsOf(v int64, n int) uint64 { return uint64(v) << (64 - 8*n) >> (64 - 8*n) }

// cell returns the n bytes that an instruction accesses.
func (m *machine) cell(t *thread, s *step, o *kernel.Operand, n int) (cell, error) {
	address, err := m.pointer(t, o)
	if err != nil {
		return cell{}, err
	}
	base, space := &o.List[0], s.op.Space
	if space == isa.Generic && base.Kind == kernel.Var {
		space = base.Variable.Space
	}
	c, err := m.find(t, address, n, space)
	if err == nil && s.op.Code != isa.Ld &&
		(c.object.Space == isa.Const || m.vars[c.object.Variable] == c.object && c.object.Space == isa.Param) {
		return cell{}, fmt.Errorf("%s cannot be written", c.object.Name)
	}
	return c, err
}

// pointer evaluates an address in brackets.
func (m *machine) pointer(t *thread, o *kernel.Operand) (uint64, error) {
	if o.Kind != kernel.Address || len(o.List) != 1 {
		return 0, refuse(o.At, "the address %s is not modelled", o)
	}
	base := &o.List[0]
	v, err := m.value(t, base, 64)
	if err == nil && base.Kind == kernel.Reg && base.Register.Type[1:] == "32" { // a 32-bit address
		v = int64(uint32(v))
	}
	return uint64(v + o.Offset), err
}

// find returns the n bytes at an address.
func (m *machine) find(t *thread, address uint64, n int, space isa.Space) (cell, error) {
	if space == isa.Generic {
		space = spaceOf(address)
		address -= uint64(windowOf(space))
	}
	if address%uint64(n) != 0 {
		return cell{}, fmt.Errorf("the address is no multiple of %d, the size of the access", n)
	}
	all := m.global
	switch space {
	case isa.Shared:
		all = t.shared
	case isa.Local, isa.Param:
		all = t.private
	}
	object, offset, ok := all.find(address, n)
	switch {
	case object == nil, !ok && uint64(max(offset, -offset)) > stride/2:
		return cell{}, fmt.Errorf("no memory is at address %#x", address)
	case !ok:
		return cell{}, fmt.Errorf("out of bounds: %d bytes at byte %d of %s, which has %d", n, offset, object.Name,
			len(object.data))
	}
	return cell{object, offset}, nil
}

// record records an access to memory that threads share.
func (m *machine) record(t *thread, s *step, c cell, a Access) {
	if t.quiet || c.object.Space != isa.Global && c.object.Space != isa.Shared {
		return
	}
	a.Thread, a.Block, a.Instr, a.Op = t.number, m.launch.Grid.Index(t.block.at), s.Instr, s.op
	a.Cluster = m.report.Cluster(a.Block)
	a.Object, a.Offset, a.number = c.object, c.offset, len(m.report.Accesses)
	a.clock, a.seen, a.index = t.clock, t.seen[c.object.memory()], t.index
	m.report.Accesses = append(m.report.Accesses, a)
	if m.launch.Watch != nil && m.launch.Watch(&a) {
		m.over = true
	}
}

// Cluster returns the number of the cluster of a block (PTX ISA, ".reqnctapercluster").
func (r *Report) Cluster(block int) int {
	size, grid := r.Kernel.Launch.Cluster, r.Launch.Grid.full()
	at, c := grid.At(block), Dim{size[0], size[1], size[2]}.full()
	return Dim{grid.X / c.X, grid.Y / c.Y, grid.Z / c.Z}.Index(Dim{at.X / c.X, at.Y / c.Y, at.Z / c.Z})
}

// sync records a fence or an arrival at a barrier.
func (m *machine) sync(t *thread, s *step) {
	m.report.Syncs = append(m.report.Syncs,
		Sync{Thread: t.number, After: len(m.report.Accesses), Instr: s.Instr, Op: s.op})
}

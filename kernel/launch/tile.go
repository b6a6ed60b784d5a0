package launch

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// The lanes of a warp move matrices together. The PTX ISA specifies which lane has which part of a
// row for ldmatrix and stmatrix. For wmma.load and wmma.store it does not: here, the lanes have
// consecutive parts.

// allLanes is the mask of a whole warp.
const allLanes = 1<<32 - 1

// tile executes an instruction that moves a matrix: lanes wait for each other.
func (m *machine) tile(t *thread, s *step, tile *isa.Tile) (bool, error) {
	if len(s.Ops) < 2 {
		return false, src.Errorf(s.At, "%s takes an address and registers", s.Opcode)
	}
	at, held := tileOperands(s, tile)
	address, err := m.pointer(t, at)
	if err != nil {
		return false, err
	}
	if base := &at.List[0]; tile.Space == isa.Generic && base.Kind == kernel.Var {
		address += uint64(windowOf(base.Variable.Space))
	}
	a := &arrival{
		thread: t,
		step:   s,
		clock:  t.clock,
		index:  t.index,
		seen:   t.seen,
		mask:   allLanes,
		id:     t.lanes(allLanes, 1),
		sync:   -1,
	}
	stride := int64(tile.Bytes)
	if len(s.Ops) > 2 {
		elements, err := m.value(t, &s.Ops[2], 32)
		if err != nil {
			return false, err
		}
		stride = int64(uint32(elements)) * int64(tile.Bits) / 8
	}
	a.brings = []int64{int64(address), stride}
	for i := range held {
		v := int64(0)
		if tile.Store {
			if v, err = m.value(t, &held[i], 8*registerBytes(tile)); err != nil {
				return false, err
			}
		}
		a.brings = append(a.brings, v)
	}
	m.comes(t, a)
	return false, nil
}

// tileOperands returns the address operand and the registers.
func tileOperands(s *step, tile *isa.Tile) (at *kernel.Operand, held []kernel.Operand) {
	at, list := &s.Ops[1], &s.Ops[0]
	if tile.Store {
		at, list = list, at
	}
	if list.Kind == kernel.Vector {
		return at, list.List
	}
	return at, []kernel.Operand{*list}
}

// registerBytes returns the number of bytes of a tile in a register.
func registerBytes(tile *isa.Tile) int { return max(4, tile.Bits/8) }

// fragment is a part of a tile: bytes of a register, at an address.
type fragment struct {
	register, low int // index of the register, and the first byte in it
	address       uint64
	bytes         int
}

// moved makes a thread access its parts of a tile, at the addresses that the lanes gave.
func (m *machine) moved(a *arrival, some []*arrival, tile *isa.Tile) error {
	s := a.step
	for _, b := range some {
		if b.step != s {
			return src.Errorf(s.At, "%s: other lanes of the warp are elsewhere",
				s.Opcode).WithHint("lane %d is at line %d", b.index%warpSize, b.step.At.Pos().Line)
		}
	}
	parts, err := m.fragments(a, some, tile)
	if err != nil {
		return err
	}
	_, held := tileOperands(s, tile)
	values := make([]uint64, len(held))
	for i := range values {
		values[i] = uint64(a.brings[2+i])
	}
	for _, f := range parts {
		c, err := m.find(a.thread, f.address, f.bytes, tile.Space)
		if err != nil {
			return a.thread.locate(s, err)
		}
		if tile.Store {
			v := values[f.register] >> (8 * f.low) & (1<<(8*f.bytes) - 1)
			c.object.store(c.offset, f.bytes, v)
			m.record(a.thread, s, c, Access{Bytes: f.bytes, Writes: true, Value: v})
			continue
		}
		v := c.object.load(c.offset, f.bytes)
		values[f.register] |= v << (8 * f.low)
		m.record(a.thread, s, c, Access{Bytes: f.bytes, Reads: true, Value: v})
	}
	if tile.Store {
		return nil
	}
	for i := range held {
		if err := m.set(a.thread, &held[i], int64(values[i]), 0, arith.Type{Bits: 8 * registerBytes(tile)}); err !=
			nil {
			return err
		}
	}
	return nil
}

// fragments returns the parts of a lane.
func (m *machine) fragments(a *arrival, some []*arrival, tile *isa.Tile) ([]fragment, error) {
	if tile.Rows == 0 {
		return m.lines(a, some, tile)
	}
	rows := map[int]uint64{} // address of each row
	for _, b := range some {
		rows[b.index%warpSize] = uint64(b.brings[0])
	}
	row := func(n int) (uint64, error) {
		at, ok := rows[n]
		if !ok || at%isa.RowBytes != 0 {
			return 0, src.Errorf(a.step.At, "%s: lane %d gives no address of a row, a multiple of %d", a.step.Opcode, n,
				isa.RowBytes)
		}
		return at, nil
	}
	var all []fragment
	lane := a.index % warpSize
	across, along := lane%isa.RowLanes, lane/isa.RowLanes
	for i := range tile.Rows / 8 {
		if !tile.Trans {
			at, err := row(8*i + along)
			if err != nil {
				return nil, err
			}
			all = append(all, fragment{i, 0, at + uint64(4*across), 4})
			continue
		}
		for half := range 2 {
			at, err := row(8*i + 2*across + half)
			if err != nil {
				return nil, err
			}
			all = append(all, fragment{i, 2 * half, at + uint64(2*along), 2})
		}
	}
	return all, nil
}

// lines returns a lane's parts of a matrix with one address. If lanes differ in the address or the
// stride, the behaviour is undefined (PTX ISA, "wmma.load").
func (m *machine) lines(a *arrival, some []*arrival, tile *isa.Tile) ([]fragment, error) {
	for _, b := range some {
		if b.brings[0] != a.brings[0] || b.brings[1] != a.brings[1] {
			m.report.Failures = append(m.report.Failures, Failure{a.thread.number, a.step.Instr, a.step.Opcode})
			break
		}
	}
	n, each := len(a.brings)-2, max(1, 32/tile.Bits)
	bytes := max(1, tile.Bits/8)
	if tile.Bits < 8 {
		each = registerBytes(tile) // adjacent bytes, of lines whose direction the shape fixes
	}
	across, total := tile.Bytes/bytes, tile.Lines*tile.Bytes/bytes
	if tile.Store && n*each*warpSize != total {
		return nil, fmt.Errorf("%s of %d registers, for %d elements, is not modelled", a.step.Opcode, n, total)
	}
	var all []fragment
	for i := range n * each {
		at := ((a.index%warpSize)*n*each + i) % total
		line, along := at/across, at%across
		if tile.Column { // the number of an element does not depend on the layout in memory
			line, along = at%tile.Lines, at/tile.Lines
		}
		address := uint64(a.brings[0]) + uint64(line)*uint64(a.brings[1]) + uint64(along*bytes)
		all = append(all, fragment{i / each, i % each * bytes, address, bytes})
	}
	return all, nil
}

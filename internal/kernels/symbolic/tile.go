package symbolic

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// The lanes of a warp move matrices together. Of ldmatrix and stmatrix, a lane gives the address of a row, and other lanes of the warp
// may be those that touch it; all are at the instruction then, so that what orders one with threads of other warps orders all. Of wmma.load
// and wmma.store, all lanes give one address, and any of them may touch any part.

// Lines is how many lines a matrix has, any of which the access is, if lanes give but one address; else 0.
func (a *Access) Lines() int {
	if a.Tile == nil {
		return 0
	}
	return a.Tile.Lines
}

// tile executes what moves a matrix.
func (m *machine) tile(s *state, in *kernel.Instr, t *isa.Tile) {
	if m.config.Hooks != nil {
		m.refuse("", "%s, in a kernel with a contract, is not modelled", in.Opcode)
	}
	m.converge(s, m.Const(everyLane, 32), false)
	at, held := in.Ops[1], in.Ops[0]
	if t.Store {
		at, held = held, at
	}
	when, offset := m.Bool(true), m.Const(0, 64)
	if t.Rows > 0 {
		when = m.ULt(m.lane(), m.Const(uint64(t.Rows), 32))
		m.given(s, t.Rows)
	} else {
		offset = m.line(s, in, t)
	}
	for _, p := range m.target(s, at) {
		p.when, p.offset = m.And(p.when, when), m.Add(p.offset, offset)
		m.part(s, p, t)
	}
	if !t.Store {
		m.anything(s, held)
	}
}

// given checks that all rows have a lane that gives the address.
func (m *machine) given(s *state, rows int) {
	sh := m.trace.Shape.Threads
	threads := m.Mul(sh[0], m.Mul(sh[1], sh[2]))
	if n, ok := threads.Value(); ok && n%warpSize == 0 {
		return
	}
	last := m.Add(m.Sub(m.trace.Shape.Linear, m.lane()), m.Const(uint64(rows-1), 32))
	m.rec.Append(&Check{
		Point: m.point(s, m.Bool(true)), What: m.at.Opcode + " in a warp without the lanes that give addresses", Holds: m.ULt(last, threads), Rounds: m.everyRound(),
	})
}

// warpSize is how many lanes a warp has.
const warpSize = isa.WarpSize

// line is where any line of a matrix begins, in bytes from its address. All lanes of the warp have the same address and the same stride
// (PTX ISA, "wmma.load").
func (m *machine) line(s *state, in *kernel.Instr, t *isa.Tile) *term.Term {
	at := in.Ops[1]
	if t.Store {
		at = in.Ops[0]
	}
	stride := m.Const(uint64(t.Bytes), 64)
	if len(in.Ops) > 2 {
		elements := m.operand(s, in.Ops[2], arith.U32)
		m.alikeInWarp(s, elements)
		stride = m.Mul(m.ZExt(elements, 64), m.Const(uint64(max(t.Bits/8, 1)), 64))
		if t.Bits < 8 {
			stride = m.LShr(m.Mul(m.ZExt(elements, 64), m.Const(uint64(t.Bits), 64)), m.Const(3, 64))
		}
	}
	if base := at.List[0]; base.Kind == kernel.Reg {
		m.alikeInWarp(s, m.register(s, base.Register))
	}
	line := m.UpTo(m.unique("line"), uint64(t.Lines-1))
	m.trace.Private[line] = true
	return m.Mul(m.ZExt(line, 64), stride)
}

// part is what a lane may touch.
func (m *machine) part(s *state, p place, t *isa.Tile) {
	switch r := p.region; {
	case r.null:
		m.astray(s, p)
		if t.Store {
			s.writes(anyRegion, unlisted)
		}
		return
	case r.private, r.entry, t.Store && r.Space == isa.Const:
		m.refuse("", "%s of %s is not modelled", m.at.Opcode, r.Name)
	case r.Space == isa.Const:
		return
	}
	m.within(s, p, t.Bytes)
	a := &Access{Kind: Load, Size: t.Bytes, Unit: max(t.Bits/8, 1), Tile: t}
	if t.Store {
		m.partly("a matrix that lanes of a warp store together")
		a.Kind = Store
		s.writes(p.region, listed)
		for range t.Bytes / 8 {
			a.Values = append(a.Values, m.fresh("tile", 64))
		}
	}
	m.accessed(s, p, a)
}

// alikeInWarp checks that lanes of a warp come to an instruction with the same value.
func (m *machine) alikeInWarp(s *state, t *term.Term) {
	if !m.differs(t, Block) {
		return
	}
	warp := m.LShr(m.trace.Shape.Linear, m.Const(5, 32))
	other, theirs := m.fresh("other", t.Width()), m.fresh("other", 32)
	m.trace.Others[other], m.trace.Others[theirs] = t, warp
	m.rec.Append(&Check{
		Point: m.point(s, m.Bool(true)), What: m.at.Opcode + " with an address or a stride in which lanes of a warp differ",
		Holds: m.Implies(m.Eq(warp, theirs), m.Eq(t, other)), With: SameBlock, Rounds: m.everyRound(),
	})
}

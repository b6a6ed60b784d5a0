package exec

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// The lanes of a warp move matrices together. For ldmatrix and stmatrix, a lane gives the address
// of a row, and other lanes of the warp may touch that row. All lanes are at the instruction then,
// so what orders one lane with threads of other warps orders all. For wmma.load and wmma.store, all
// lanes give one address, and any lane may touch any part.

// tile executes what moves a matrix.
func (m *encounters) tile(s *state, in *kernel.Instr, t *isa.Tile) {
	b := m.terms
	if m.run.config.Hooks != nil {
		m.run.refuse("", "%s, in a kernel with a contract, is not modelled", in.Opcode)
	}
	m.converge(s, b.Const(everyLane, 32), false)
	at, held := in.Ops[1], in.Ops[0]
	if t.Store {
		at, held = held, at
	}
	when, offset := b.Bool(true), b.Const(0, 64)
	if t.Rows > 0 {
		when = b.ULt(m.run.place.lane(), b.Const(uint64(t.Rows), 32))
		m.given(s, t.Rows)
	} else {
		offset = m.line(s, in, t)
	}
	for _, p := range m.run.addr.target(s, at) {
		p.when, p.offset = b.And(p.when, when), b.Add(p.offset, offset)
		m.part(s, p, t)
	}
	if !t.Store {
		m.run.anything(s, held)
	}
}

// given checks that all rows have a lane that gives the address.
func (m *encounters) given(s *state, rows int) {
	b := m.terms
	sh := m.run.rec.Trace.Shape.Threads
	threads := b.Mul(sh[0], b.Mul(sh[1], sh[2]))
	if n, ok := threads.Value(); ok && n%warpSize == 0 {
		return
	}
	last := b.Add(b.Sub(m.run.rec.Trace.Shape.Linear, m.run.place.lane()), b.Const(uint64(rows-1), 32))
	m.run.rec.Append(&trace.Check{
		Point: m.run.point(s, b.Bool(true)), What: m.run.at.Opcode + " in a warp without the lanes that give addresses", Holds: b.ULt(last, threads), Rounds: m.run.loops.everyRound(),
	})
}

// warpSize is the number of lanes of a warp.
const warpSize = isa.WarpSize

// line returns where any line of a matrix begins, in bytes from its address. All lanes of the warp
// have the same address and the same stride (PTX ISA, "wmma.load").
func (m *encounters) line(s *state, in *kernel.Instr, t *isa.Tile) *term.Term {
	b := m.terms
	at := in.Ops[1]
	if t.Store {
		at = in.Ops[0]
	}
	stride := b.Const(uint64(t.Bytes), 64)
	if len(in.Ops) > 2 {
		elements := m.run.operand(s, in.Ops[2], arith.U32)
		m.alikeInWarp(s, elements)
		stride = b.Mul(b.ZExt(elements, 64), b.Const(uint64(max(t.Bits/8, 1)), 64))
		if t.Bits < 8 {
			stride = b.LShr(b.Mul(b.ZExt(elements, 64), b.Const(uint64(t.Bits), 64)), b.Const(3, 64))
		}
	}
	if base := at.List[0]; base.Kind == kernel.Reg {
		m.alikeInWarp(s, m.run.register(s, base.Register))
	}
	line := b.UpTo(m.run.rec.Unique("line"), uint64(t.Lines-1))
	m.run.rec.Trace.Private[line] = true
	return b.Mul(b.ZExt(line, 64), stride)
}

// part records an access to the part of a tile that a lane may touch.
func (m *encounters) part(s *state, p place, t *isa.Tile) {
	switch r := p.region; {
	case r.Null:
		m.run.memory.astray(s, p)
		if t.Store {
			s.writes(anyRegion, unlisted)
		}
		return
	case r.Private, r.Entry, t.Store && r.Space == isa.Const:
		m.run.refuse("", "%s of %s is not modelled", m.run.at.Opcode, r.Name)
	case r.Space == isa.Const:
		return
	}
	m.run.memory.within(s, p, t.Bytes)
	a := &trace.Access{Kind: trace.Load, Size: t.Bytes, Unit: max(t.Bits/8, 1), Tile: t}
	if t.Store {
		m.run.copies.partly("a matrix that lanes of a warp store together")
		a.Kind = trace.Store
		s.writes(p.region, listed)
		for range t.Bytes / 8 {
			a.Values = append(a.Values, m.run.fresh("tile", 64))
		}
	}
	m.run.memory.accessed(s, p, a)
}

// alikeInWarp checks that the lanes of a warp reach an instruction with the same value.
func (m *encounters) alikeInWarp(s *state, t *term.Term) {
	b := m.terms
	if !m.run.loops.differs(t, trace.Block) {
		return
	}
	warp := b.LShr(m.run.rec.Trace.Shape.Linear, b.Const(5, 32))
	other, theirs := m.run.fresh("other", t.Width()), m.run.fresh("other", 32)
	m.run.rec.Trace.Others[other], m.run.rec.Trace.Others[theirs] = t, warp
	m.run.rec.Append(&trace.Check{
		Point: m.run.point(s, b.Bool(true)), What: m.run.at.Opcode + " with an address or a stride in which lanes of a warp differ",
		Holds: b.Implies(b.Eq(warp, theirs), b.Eq(t, other)), With: trace.SameBlock, Rounds: m.run.loops.everyRound(),
	})
}

// alike checks that threads of the block call a function with the same value.
func (m *encounters) alike(s *state, t *term.Term, what string) {
	if s.guard == guard.False || !m.run.loops.differs(t, trace.Block) {
		return
	}
	other := m.run.fresh("other", t.Width())
	m.run.rec.Trace.Others[other] = t
	m.run.rec.Append(&trace.Check{
		Point: m.run.point(s, m.terms.Bool(true)), What: what + " with arguments in which threads of the block differ", Holds: m.terms.Eq(t, other), With: trace.SameBlock,
	})
}

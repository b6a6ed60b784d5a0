package exec

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// atomic executes atom and red. A vector is an atomic of each of its elements.
func (m *accesses) atomic(s *state, in *kernel.Instr, op *instruction) {
	at := 0
	if op.Code == isa.Atom {
		at = 1
	}
	if len(in.Ops) < at+2 || len(op.Types) == 0 || op.Types[0].Bits > 64 {
		m.run.refuse("", "%s is not modelled", in.Opcode)
	}
	t := op.Types[0].Int()
	found := make([]*term.Term, max(1, op.Vector))
	for i := range found {
		found[i] = m.run.fresh("atomic", t.Bits)
	}
	for _, p := range m.run.addr.target(s, in.Ops[at]) {
		m.within(s, p, op.Bytes())
		switch r := p.region; {
		case r.Entry:
			m.run.refuse("", "%s: an atomic operation on the parameter %s is not modelled", in.Opcode, r.Name)
		case r.Null:
			m.astray(s, p)
		case r.Private:
			for i := range found {
				m.storeOwn(s, p, elementOf(m.terms, p, i, t), m.run.fresh("atomic", t.Bits))
			}
		default:
			m.update(s, op, p, in.Ops[at+1:], found)
			s.writes(r, listed)
		}
	}
	if at == 1 {
		m.finds(s, in.Ops[0], found, t)
	}
}

// elementOf returns the offset of the i-th element of a vector of type t.
func elementOf(b *term.Builder, p place, i int, t arith.Type) *term.Term {
	return b.Add(p.offset, b.Const(uint64(i*t.Bits/8), 64))
}

// update records an atomic on memory that threads share. found are the old values of its elements.
// Its new value is known only for scalars.
func (m *accesses) update(s *state, op *instruction, p place, operands []kernel.Operand, found []*term.Term) {
	t := op.Types[0].Int()
	var does trace.Read
	if op.Vector == 0 {
		does.Step, does.Amount = m.counts(s, op, operands, t)
		does.Swap, does.Join = m.swaps(s, op, operands, t), m.joins(s, op, operands, t)
	}
	for i, value := range found {
		r := does
		r.Point, r.Region, r.Offset, r.Size = m.run.point(s, p.when), p.region, elementOf(m.terms, p, i, t), t.Bits/8
		r.Value, r.Epoch, r.Rounds = value, s.passed(p.region)[trace.Block], m.run.loops.everyRound()
		m.run.rec.Append(&r)
	}
	a := m.record(s, op, p, trace.Atomic, op.Bytes(), nil)
	a.Step, a.Amount, a.Swap, a.Join = does.Step, does.Amount, does.Swap, does.Join
}

// finds sets the destinations of an atomic to the old values.
func (m *accesses) finds(s *state, to kernel.Operand, found []*term.Term, t arith.Type) {
	list := []kernel.Operand{to}
	if to.Kind == kernel.Vector {
		list = to.List
	}
	if len(list) != len(found) {
		m.run.refuse("", "%s with %d destinations is not modelled", m.run.at.Opcode, len(list))
	}
	for i, d := range list {
		m.run.set(s, d, found[i], t.Signed)
	}
}

// counts returns what an atomic adds whenever it is executed, if that is a number, else 0; and as a
// term, nil if it does not add.
func (m *accesses) counts(s *state, op *instruction, operands []kernel.Operand, t arith.Type) (step uint64, amount *term.Term) {
	by := m.run.operand(s, operands[0], t)
	n, ok := by.Value()
	switch {
	case op.Update == isa.UpdateAdd && op.Types[0].Kind != isa.Floating:
		if !ok {
			n = 0
		}
		return n, by
	case ok && op.Update == isa.UpdateInc && n == term.Mask(t.Bits):
		return 1, m.terms.Const(1, t.Bits)
	}
	return 0, nil
}

// swaps returns what an atomic replaces, and by what; nil if it does something else.
func (m *accesses) swaps(s *state, op *instruction, operands []kernel.Operand, t arith.Type) *trace.Swap {
	switch {
	case op.Update == isa.UpdateExch:
		return &trace.Swap{Writes: m.run.operand(s, operands[0], t)}
	case op.Update == isa.UpdateCas && len(operands) > 1:
		return &trace.Swap{Finds: m.run.operand(s, operands[0], t), Writes: m.run.operand(s, operands[1], t)}
	}
	return nil
}

// oneWay are the updates that go one way.
var oneWay = map[isa.Update]arith.Op{isa.UpdateAnd: arith.And, isa.UpdateOr: arith.Or, isa.UpdateMin: arith.Min, isa.UpdateMax: arith.Max}

// joins returns the value that a monotone atomic joins to the old value, or nil for other atomics.
// The order of floating-point numbers is not that of integers.
func (m *accesses) joins(s *state, op *instruction, operands []kernel.Operand, t arith.Type) *trace.Join {
	by, ok := oneWay[op.Update]
	if !ok || op.Types[0].Kind == isa.Floating {
		return nil
	}
	return &trace.Join{Op: by, Type: t, By: m.run.operand(s, operands[0], t)}
}

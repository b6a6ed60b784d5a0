package symbolic

import (
	"maps"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// barrier executes barriers of all threads of the block or of the warp.
func (m *machine) barrier(s *state, in *kernel.Instr, op *instruction) {
	if op.Warp {
		mask := m.operand(s, in.Ops[0], arith.U32)
		if named, ok := mask.Value(); ok && named == everyLane {
			m.wait(s, Warp)
		} else {
			m.converge(s, mask, true)
		}
		return
	}
	if op.Scope == isa.ScopeCluster {
		m.refuse("a kernel whose blocks share nothing but global memory", "%s: barriers of a cluster of blocks, which share the memory of each, are not modelled", in.Opcode)
	}
	if len(in.Ops) == 0 || op.Meeting == isa.Reduce && len(in.Ops) < 3 {
		m.refuse("", "%s is not modelled", in.Opcode)
	}
	ops := in.Ops
	if op.Meeting == isa.Reduce {
		ops = ops[1 : len(ops)-1]
	}
	number := m.operand(s, ops[0], arith.U32)
	m.demands(s, "a barrier whose number is above 15", m.ULt(number, m.Const(barriers, 32)))
	if len(ops) > 1 {
		count := m.operand(s, ops[1], arith.U32)
		sh := m.trace.Shape.Threads
		all := count == m.Mul(sh[0], m.Mul(sh[1], sh[2]))
		if _, known := count.Value(); known || !all {
			m.demands(s, "a barrier that waits for no whole number of warps", m.Eq(m.And(count, m.Const(lanes-1, 32)), m.Const(0, 32)))
		}
		set(m.rec, &m.trace.Counts, m.trace.Counts || all)
		if !all || m.config.Counted || op.Meeting == isa.Arrive {
			m.comes(s, op, number, count)
			return
		}
	}
	switch op.Meeting {
	case isa.Sync:
	case isa.Reduce:
		m.reduce(s, in, op)
	default:
		m.refuse("", "%s is not modelled", in.Opcode)
	}
	m.waitFor(s, Block, number, everything(m.Builder))
}

// barriers is how many a block has (PTX ISA, "bar"), and lanes how many threads a warp has.
const barriers, lanes = 16, 32

// demands notes what PTX demands of an instruction.
func (m *machine) demands(s *state, what string, holds *term.Term) {
	if !holds.True() {
		m.rec.Append(&Check{Point: m.point(s, m.Bool(true)), What: what, Holds: holds})
	}
}

// comes notes that the thread comes to a barrier that waits for some of the threads of the block. What they have written before it, others may read behind it,
// between two barriers of the block: only what nobody writes is the same there.
func (m *machine) comes(s *state, op *instruction, number, count *term.Term) {
	switch {
	case op.Meeting == isa.Reduce:
		m.refuse("", "%s: what a barrier of some of the threads of a block tells them is not modelled", m.at.Opcode)
	case m.config.Hooks != nil:
		m.refuse("", "%s: a barrier of some of the threads of a block, in a kernel with a contract, is not modelled", m.at.Opcode)
	case len(m.cutting) > 1:
		m.refuse("a size for which the loop ends after a number of rounds that is known (--param)",
			"%s: a barrier of some of the threads of a block in two loops whose rounds are not known is not modelled", m.at.Opcode)
	case s.guard == guard.False:
		return
	}
	m.rec.Append(&Arrival{m.point(s, m.Bool(true)), number, count, op.Meeting == isa.Sync, s.barriers()})
	s.arrived = m.Add(s.arrived, m.Const(1, 64))
}

// reduce has all threads of the block that come to a barrier learn one value, of which each knows what its own predicate says of it (PTX
// ISA, "barrier.red").
func (m *machine) reduce(s *state, in *kernel.Instr, op *instruction) {
	d := in.Ops[0]
	if d.Kind != kernel.Reg {
		m.refuse("", "%s is not modelled", in.Opcode)
	}
	at := m.trace.Shape.Block
	value := m.App(m.unique("reduced"), width(d.Register.Type), s.barriers(), at[0], at[1], at[2])
	some := m.Ne(value, m.Const(0, value.Width()))
	mine := m.truth(s, in.Ops[len(in.Ops)-1])
	switch op.Update {
	case isa.UpdateAnd:
		m.knows(s, m.Implies(some, mine))
	case isa.UpdatePopc:
		sh := m.trace.Shape.Threads
		m.knows(s, m.ULe(value, m.Mul(sh[0], m.Mul(sh[1], sh[2]))))
		fallthrough
	default:
		m.knows(s, m.Implies(mine, some))
	}
	set(m.rec, &m.trace.Reduced, in)
	m.set(s, d, value, false)
}

// wait has the thread wait at a barrier that orders all memory.
func (m *machine) wait(s *state, scope Scope) {
	m.waitFor(s, scope, nil, everything(m.Builder))
}

// everything has a barrier order all memory.
func everything(b *term.Builder) [memories]*term.Term {
	return [memories]*term.Term{b.Bool(true), b.Bool(true)}
}

// waitFor has the thread wait at a barrier that orders a memory where a condition holds, on which threads that meet agree. The number of
// the barrier is nil if it has none.
func (m *machine) waitFor(s *state, scope Scope, number *term.Term, orders [memories]*term.Term) {
	m.arrive(s, scope, number)
	if scope >= Block {
		m.settle(s)
		all := m.And(orders[sharedMemory], orders[globalMemory]).True()
		maps.DeleteFunc(s.wrote, func(r *Region, _ writing) bool { return all || r != anyRegion && orders[r.memory()].True() })
	}
	for k, ordered := range orders {
		for i := Warp; i <= scope; i++ {
			s.epoch[k][i] = m.Add(s.epoch[k][i], m.ZExt(ordered, 64))
		}
	}
	if h := m.config.Hooks; h != nil && h.Barrier != nil && scope == Block {
		h.Barrier(m.moment(s), m.at)
	}
}

// arrive notes that the thread comes to where all of a scope come.
func (m *machine) arrive(s *state, scope Scope, number *term.Term) {
	if s.guard != guard.False {
		m.rec.Append(&Barrier{Point: m.point(s, m.Bool(true)), Scope: scope, Rounds: m.rounds(), Number: number})
	}
}

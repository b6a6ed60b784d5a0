package exec

import (
	"maps"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// encounters executes instructions at which threads of a block, or lanes of a warp, meet.
type encounters struct {
	run   *run
	terms *term.Builder
}

// barrier executes barriers of all threads of the block or of the warp.
func (m *encounters) barrier(s *state, in *kernel.Instr, op *instruction) {
	b := m.terms
	if op.Warp {
		mask := m.run.operand(s, in.Ops[0], arith.U32)
		if named, ok := mask.Value(); ok && named == everyLane {
			m.wait(s, trace.Warp)
		} else {
			m.converge(s, mask, true)
		}
		return
	}
	if op.Scope == isa.ScopeCluster {
		m.run.refuse("a kernel whose blocks share nothing but global memory", "%s: barriers of a cluster of blocks, which share the memory of each, are not modelled", in.Opcode)
	}
	if len(in.Ops) == 0 || op.Meeting == isa.Reduce && len(in.Ops) < 3 {
		m.run.refuse("", "%s is not modelled", in.Opcode)
	}
	ops := in.Ops
	if op.Meeting == isa.Reduce {
		ops = ops[1 : len(ops)-1]
	}
	number := m.run.operand(s, ops[0], arith.U32)
	m.demands(s, "a barrier whose number is above 15", b.ULt(number, b.Const(barriers, 32)))
	if len(ops) > 1 {
		count := m.run.operand(s, ops[1], arith.U32)
		sh := m.run.rec.Trace.Shape.Threads
		all := count == b.Mul(sh[0], b.Mul(sh[1], sh[2]))
		if _, known := count.Value(); known || !all {
			m.demands(s, "a barrier that waits for no whole number of warps", b.Eq(b.And(count, b.Const(lanes-1, 32)), b.Const(0, 32)))
		}
		trace.Set(m.run.rec, &m.run.rec.Trace.Counts, m.run.rec.Trace.Counts || all)
		if !all || m.run.config.Counted || op.Meeting == isa.Arrive {
			m.comes(s, op, number, count)
			return
		}
	}
	switch op.Meeting {
	case isa.Sync:
	case isa.Reduce:
		m.reduce(s, in, op)
	default:
		m.run.refuse("", "%s is not modelled", in.Opcode)
	}
	m.waitFor(s, trace.Block, number, everything(b))
}

// barriers is the number of barriers of a block (PTX ISA, "bar"), and lanes the number of threads
// of a warp.
const barriers, lanes = 16, 32

// demands records a requirement of PTX on an instruction.
func (m *encounters) demands(s *state, what string, holds *term.Term) {
	if !holds.True() {
		m.run.rec.Append(&trace.Check{Point: m.run.point(s, m.terms.Bool(true)), What: what, Holds: holds})
	}
}

// comes records that the thread reaches a barrier for some of the threads of the block. Other
// threads may then read, between two barriers of the block, what those threads wrote before it:
// only memory that no thread writes stays the same.
func (m *encounters) comes(s *state, op *instruction, number, count *term.Term) {
	b := m.terms
	switch {
	case op.Meeting == isa.Reduce:
		m.run.refuse("", "%s: what a barrier of some of the threads of a block tells them is not modelled", m.run.at.Opcode)
	case m.run.config.Hooks != nil:
		m.run.refuse("", "%s: a barrier of some of the threads of a block, in a kernel with a contract, is not modelled", m.run.at.Opcode)
	case len(m.run.loops.cutting) > 1:
		m.run.refuse("a size for which the loop ends after a number of rounds that is known (--param)",
			"%s: a barrier of some of the threads of a block in two loops whose rounds are not known is not modelled", m.run.at.Opcode)
	case s.guard == guard.False:
		return
	}
	m.run.rec.Append(&trace.Arrival{
		Point: m.run.point(s, b.Bool(true)), Number: number, Count: count, Waits: op.Meeting == isa.Sync, Epoch: s.barriers(),
	})
	s.arrived = b.Add(s.arrived, b.Const(1, 64))
}

// reduce gives all threads of the block that reach a barrier one value. Each thread knows what its
// own predicate implies for that value (PTX ISA, "barrier.red").
func (m *encounters) reduce(s *state, in *kernel.Instr, op *instruction) {
	b := m.terms
	d := in.Ops[0]
	if d.Kind != kernel.Reg {
		m.run.refuse("", "%s is not modelled", in.Opcode)
	}
	at := m.run.rec.Trace.Shape.Block
	value := b.App(m.run.rec.Unique("reduced"), trace.Width(d.Register.Type), s.barriers(), at[0], at[1], at[2])
	some := b.Ne(value, b.Const(0, value.Width()))
	mine := m.run.truth(s, in.Ops[len(in.Ops)-1])
	switch op.Update {
	case isa.UpdateAnd:
		m.run.knows(s, b.Implies(some, mine))
	case isa.UpdatePopc:
		sh := m.run.rec.Trace.Shape.Threads
		m.run.knows(s, b.ULe(value, b.Mul(sh[0], b.Mul(sh[1], sh[2]))))
		fallthrough
	default:
		m.run.knows(s, b.Implies(mine, some))
	}
	trace.Set(m.run.rec, &m.run.rec.Trace.Reduced, in)
	m.run.set(s, d, value, false)
}

// wait makes the thread wait at a barrier that orders all memory.
func (m *encounters) wait(s *state, scope trace.Scope) {
	m.waitFor(s, scope, nil, everything(m.terms))
}

// everything returns the conditions of a barrier that orders all memory.
func everything(b *term.Builder) [trace.Memories]*term.Term {
	return [trace.Memories]*term.Term{b.Bool(true), b.Bool(true)}
}

// waitFor makes the thread wait at a barrier. It orders a memory under a condition that is equal in
// all threads that meet. The number is nil if the barrier has none.
func (m *encounters) waitFor(s *state, scope trace.Scope, number *term.Term, orders [trace.Memories]*term.Term) {
	b := m.terms
	m.arrive(s, scope, number)
	if scope >= trace.Block {
		m.run.memory.settle(s)
		all := b.And(orders[trace.SharedMemory], orders[trace.GlobalMemory]).True()
		maps.DeleteFunc(s.wrote, func(r *trace.Region, _ writing) bool { return all || r != anyRegion && orders[r.Memory()].True() })
	}
	for k, ordered := range orders {
		for i := trace.Warp; i <= scope; i++ {
			s.epoch[k][i] = b.Add(s.epoch[k][i], b.ZExt(ordered, 64))
		}
	}
	if h := m.run.config.Hooks; h != nil && h.Barrier != nil && scope == trace.Block {
		h.Barrier(m.run.moment(s), m.run.at)
	}
}

// arrive records that the thread reaches a barrier for all threads of a scope.
func (m *encounters) arrive(s *state, scope trace.Scope, number *term.Term) {
	if s.guard != guard.False {
		m.run.rec.Append(&trace.Barrier{Point: m.run.point(s, m.terms.Bool(true)), Scope: scope, Rounds: m.run.loops.rounds(), Number: number})
	}
}

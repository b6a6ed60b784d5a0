package exec

import (
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A thread copies asynchronously by cp.async: it reads global memory and writes shared memory at
// some time before it has waited for the group of the copy (PTX ISA, "cp.async"). Until then, the
// thread's own accesses are not ordered with the copy, either. Groups are counted: a copy belongs
// to the group of the next commit.

// copies executes asynchronous copies.
type copies struct {
	run     *run
	terms   *term.Builder
	flights []*flight  // those of a block
	started []*started // those of the thread
}

// async executes an instruction of asynchronous copies.
func (m *copies) async(s *state, in *kernel.Instr, op *instruction) {
	b := m.terms
	m.partly("an asynchronous copy")
	if len(m.run.loops.cutting) > 0 {
		m.run.refuse("sizes for which the loop ends after a number of rounds that is known", "%s in a loop whose rounds are not known", in.Opcode)
	}
	one := b.Const(1, 64)
	switch op.AsyncCopy() {
	case isa.CopyStart:
		m.start(s, in, op)
	case isa.CopyCommit:
		s.groups = b.Add(s.groups, one)
	case isa.CopyWait:
		n := b.ZExt(m.run.operand(s, in.Ops[0], arith.U32), 64)
		m.lands(s, func(group *term.Term) *term.Term { return b.ULt(b.Add(group, n), s.groups) })
	case isa.CopyFinish:
		s.groups = b.Add(s.groups, one)
		m.lands(s, func(*term.Term) *term.Term { return b.Bool(true) })
	}
}

// started is a copy that the thread has begun.
type started struct {
	group  *term.Term // the number of groups that had been committed
	halves []*trace.Access
	landed *term.Term // the thread has waited for it
}

// start begins a copy.
func (m *copies) start(s *state, in *kernel.Instr, op *instruction) {
	if s.guard == guard.False {
		return
	}
	if len(in.Ops) < 3 || in.Ops[2].Kind != kernel.Integer {
		m.run.refuse("", "%s without a number of bytes is not modelled", in.Opcode)
	}
	size := int(in.Ops[2].Bits)
	c := &started{group: s.groups, landed: m.terms.Bool(false)}
	for _, part := range m.sources(s, in, op, size) {
		for _, p := range m.run.addr.target(s, in.Ops[1]) {
			p.when = m.terms.And(p.when, part.when)
			m.moves(s, c, p, &trace.Access{Kind: trace.Load, Size: part.size})
		}
	}
	for _, p := range m.run.addr.target(s, in.Ops[0]) {
		write := &trace.Access{Kind: trace.Store, Size: size}
		for range size / min(size, 8) {
			write.Values = append(write.Values, m.run.fresh("copied", 8*min(size, 8)))
		}
		m.moves(s, c, p, write)
		s.writes(p.region, listed)
	}
	m.run.rec.Change(trace.Push(&m.started, c))
}

// fetched is a number of bytes that a copy reads where a condition holds.
type fetched struct {
	size int
	when *term.Term
}

// sources returns the number of bytes of its source that a copy reads; the other bytes of its
// destination become 0. The operand after the size is that number, or a predicate that makes it 0;
// a cache policy is last.
func (m *copies) sources(s *state, in *kernel.Instr, op *instruction, size int) []fetched {
	b := m.terms
	rest := in.Ops[3:]
	if op.CopyHint() && len(rest) > 0 {
		rest = rest[:len(rest)-1]
	}
	switch {
	case len(rest) == 0:
		return []fetched{{size, b.Bool(true)}}
	case rest[0].Kind == kernel.Reg && trace.Width(rest[0].Register.Type) == 1:
		return []fetched{{size, b.Not(m.run.truth(s, rest[0]))}}
	}
	n := m.run.operand(s, rest[0], arith.U32)
	if fits := b.ULe(n, b.Const(uint64(size), 32)); !fits.True() {
		m.run.rec.Append(&trace.Check{
			Point: m.run.point(s, b.Bool(true)), What: in.Opcode + " that reads more bytes than it writes", Holds: fits, Rounds: m.run.loops.everyRound(),
		})
	}
	known := numbersOf(n, nil)
	if known == nil {
		return []fetched{{size, b.Ne(n, b.Const(0, 32))}}
	}
	var all []fetched
	for _, v := range known {
		if 0 < v && v <= uint64(size) {
			all = append(all, fetched{int(v), b.Eq(n, b.Const(v, 32))})
		}
	}
	return all
}

// numbersOf returns the numbers that a term chooses from, added to others; nil if it may be
// another.
func numbersOf(t *term.Term, others []uint64) []uint64 {
	if v, ok := t.Value(); ok {
		if slices.Contains(others, v) {
			return others
		}
		return append(others, v)
	}
	if t.Op() != term.Ite || choices(t, maxChoices) == maxChoices {
		return nil
	}
	if others = numbersOf(t.Args()[1], others); others == nil {
		return nil
	}
	return numbersOf(t.Args()[2], others)
}

// moves records the read or the write of a copy.
func (m *copies) moves(s *state, c *started, p place, half *trace.Access) {
	switch {
	case p.region.Null:
		m.run.memory.astray(s, p)
		return
	case p.region.Private, p.region.Entry, half.Kind == trace.Store && p.region.Space == isa.Const:
		m.run.refuse("", "%s to or from %s is not modelled", m.run.at.Opcode, p.region.Name)
	}
	m.run.memory.within(s, p, half.Size)
	never := m.terms.Const(term.Mask(64), 64)
	half.Unit, half.Copy = min(half.Size, 8), &trace.Part{Lands: trace.Epochs{never, never, never}, Own: true}
	if m.run.memory.accessed(s, p, half); !half.Guard.False() {
		c.halves = append(c.halves, half)
	}
}

// lands makes the thread wait for the copies of some groups.
func (m *copies) lands(s *state, waited func(group *term.Term) *term.Term) {
	b := m.terms
	if s.guard == guard.False {
		return
	}
	here := m.run.guards.Term(s.guard)
	for _, c := range m.started {
		now := b.And(b.And(here, waited(c.group)), b.Not(c.landed))
		if now.False() {
			continue
		}
		for _, half := range c.halves {
			m.run.rec.Change(trace.Push(&half.Copy.Landings, trace.Landing{After: len(m.run.rec.Trace.Accesses), When: now}))
			for scope, passed := range s.passed(half.Region) {
				trace.Set(m.run.rec, &half.Copy.Lands[scope], b.Ite(now, passed, half.Copy.Lands[scope]))
			}
		}
		trace.Set(m.run.rec, &c.landed, b.Or(c.landed, now))
	}
	trace.Set(m.run.rec, &m.started, slices.DeleteFunc(slices.Clone(m.started), func(c *started) bool { return c.landed.True() }))
}

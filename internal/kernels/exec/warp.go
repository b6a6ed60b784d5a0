package exec

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// everyLane is the mask of a whole warp.
const everyLane = 1<<32 - 1

// converge records that lanes meet, and that a mask names the thread itself.
func (m *encounters) converge(s *state, mask *term.Term, orders bool) {
	if s.guard == guard.False {
		return
	}
	at := m.run.point(s, m.terms.Bool(true))
	m.run.rec.Append(&trace.Convergence{
		Point: at, Mask: mask, Rounds: m.run.loops.everyRound(), Before: len(m.run.rec.Trace.Accesses), Orders: orders,
	})
	if own := trace.Names(m.terms, mask, m.run.place.lane()); !own.True() {
		m.run.rec.Append(&trace.Check{Point: at, What: m.run.at.Name() + " with a mask that does not name its own lane", Holds: own})
	}
}

// everyRound returns the rounds of all loops around that are cut.
func (m *loops) everyRound() (all []*term.Term) {
	for _, c := range m.cutting {
		all = append(all, c.round)
	}
	return all
}

func (m *position) lane() *term.Term { return m.fixed["%laneid"] }

// exchange executes an instruction that communicates with other lanes of the warp: shfl and vote
// return values of the lanes, and any other instruction returns any value.
func (m *encounters) exchange(s *state, in *kernel.Instr, op *instruction) {
	d := m.run.destination(in)
	if op.Code == isa.Activemask {
		m.run.set(s, d, m.active(s), false)
		return
	}
	if op.Meeting == isa.Sync && len(in.Ops) > 1 {
		mask := m.run.operand(s, in.Ops[len(in.Ops)-1], arith.U32)
		m.converge(s, mask, false)
		switch {
		case op.Code == isa.Shfl && len(in.Ops) == 5 && d.Kind == kernel.Reg:
			m.shuffle(s, in, op, mask)
			return
		case op.Code == isa.Vote && len(in.Ops) == 3 && d.Kind == kernel.Reg:
			m.vote(s, in, op, mask)
			return
		case op.Code == isa.Match && len(in.Ops) == 3 && d.Kind == kernel.Reg:
			m.match(s, in, op, mask)
			return
		case op.Code == isa.Elect && len(in.Ops) == 2:
			m.elect(s, d, mask)
			return
		}
	}
	if d.Kind == kernel.Reg {
		m.run.set(s, d, m.run.fresh(in.Name(), trace.Width(d.Register.Type)), false)
	}
	if d.Second != nil {
		s.regs[d.Second.Index] = m.run.fresh(in.Name(), trace.Width(d.Second.Type))
	}
}

// ofWarp returns a function of a warp that meets here: all its threads get one value for one
// argument.
func (m *position) ofWarp(name string, width int, args ...*term.Term) *term.Term {
	b := m.terms
	sh := &m.run.rec.Trace.Shape
	args = append(args, b.LShr(sh.Linear, b.Const(5, 32)))
	args = append(args, sh.Block[:]...)
	return b.App(name, width, append(args, m.run.loops.everyRound()...)...)
}

// shuffle executes shfl: it returns the value of another lane (PTX ISA, "shfl.sync", has the lane
// as a formula). The values of the lanes are a function of the lane; each thread knows its own
// value of that function.
func (m *encounters) shuffle(s *state, in *kernel.Instr, op *instruction, mask *term.Term) {
	b := m.terms
	value := m.run.operand(s, in.Ops[1], arith.U32)
	distance := b.And(m.run.operand(s, in.Ops[2], arith.U32), b.Const(31, 32))
	c := m.run.operand(s, in.Ops[3], arith.U32)
	lane, low := m.run.place.lane(), b.Const(31, 32)
	segment := b.And(b.LShr(c, b.Const(8, 32)), low)
	most := b.Or(b.And(lane, segment), b.And(b.And(c, low), b.Not(segment)))
	least := b.And(lane, segment)
	var from, inside *term.Term
	switch op.Mode {
	case "up":
		from = b.Sub(lane, distance)
		inside = b.Not(b.SLt(from, most))
	case "down":
		from = b.Add(lane, distance)
		inside = b.Not(b.SLt(most, from))
	case "bfly":
		from = b.Xor(lane, distance)
		inside = b.Not(b.SLt(most, from))
	default: // idx
		from = b.Or(least, b.And(distance, b.Not(segment)))
		inside = b.Not(b.SLt(most, from))
	}
	from = b.And(from, low)
	name := m.run.rec.Unique("shfl")
	m.run.knows(s, b.Eq(m.run.place.ofWarp(name, 32, lane), value))
	first := b.Sub(m.run.rec.Trace.Shape.Linear, lane)
	sh := m.run.rec.Trace.Shape.Threads
	number := b.Or(b.And(m.run.rec.Trace.Shape.Linear, b.Const(everyLane-31, 32)), from) // so its bounds are seen
	there := b.And(trace.Names(b, mask, from), b.ULt(number, b.Mul(sh[0], b.Mul(sh[1], sh[2]))))
	brought := m.run.place.ofWarp(name, 32, from)
	if exact := m.run.place.inPlace(value, b.Add(first, from)); exact != nil {
		brought = exact
	} else {
		m.run.rec.Append(&trace.Exchange{
			Point: m.run.point(s, b.Bool(true)), From: from, There: there, Value: value, Got: brought, Rounds: m.run.loops.everyRound(),
		})
	}
	other := b.Ite(there, brought, m.run.fresh("shfl", 32))
	m.run.set(s, in.Ops[0], b.Ite(inside, other, value), false)
	if d := in.Ops[0]; d.Second != nil {
		s.regs[d.Second.Index] = fit(b, inside, trace.Width(d.Second.Type), false)
	}
}

// inPlace returns what a term is for another thread of a block in one dimension; nil if it is made
// of more than the place of the thread.
func (m *position) inPlace(t, linear *term.Term) *term.Term {
	sh := &m.run.rec.Trace.Shape
	one, mine, ofBlock := m.terms.Const(1, 32), trace.Variable(sh.Thread[0]), trace.Variables(sh.Block[:]...)
	if sh.Threads[1] != one || sh.Threads[2] != one || mine == nil {
		return nil
	}
	if term.Mentions(t, func(v *term.Term) bool {
		return v.Op() == term.App || m.run.rec.Trace.Private[v] && v != mine && !ofBlock[v]
	}) {
		return nil
	}
	return m.terms.Rename(func(v *term.Term) *term.Term {
		if v == mine {
			return m.terms.Extract(linear, 0, v.Width())
		}
		return v
	}).Term(t)
}

// vote gives all lanes that meet one value. Each lane knows what its own predicate says about it.
func (m *encounters) vote(s *state, in *kernel.Instr, op *instruction, mask *term.Term) {
	b := m.terms
	d := in.Ops[0]
	value := m.run.place.ofWarp(m.run.rec.Unique("vote"), trace.Width(d.Register.Type), mask)
	mine := m.run.truth(s, in.Ops[1])
	switch op.Mode {
	case "all":
		m.run.knows(s, b.Implies(b.Ne(value, b.Const(0, value.Width())), mine))
	case "any":
		m.run.knows(s, b.Implies(mine, b.Ne(value, b.Const(0, value.Width()))))
	case "ballot":
		m.run.knows(s, b.Eq(trace.Names(b, value, m.run.place.lane()), mine))
	}
	m.run.set(s, d, value, false)
}

// match gives lanes with the same value the same mask, which names them all (PTX ISA,
// "match.sync"). The other form gives all lanes one mask: the mask of all lanes if their values are
// equal, and 0 otherwise.
func (m *encounters) match(s *state, in *kernel.Instr, op *instruction, mask *term.Term) {
	b := m.terms
	d, name, zero := in.Ops[0], m.run.rec.Unique("match"), b.Const(0, 32)
	value := m.run.operand(s, in.Ops[1], op.Type(0).Int())
	if op.Mode == "all" {
		same := b.Ne(m.run.place.ofWarp(name, 32, mask), zero)
		m.run.set(s, d, b.Ite(same, mask, zero), false)
		if d.Second != nil {
			s.regs[d.Second.Index] = same
		}
		return
	}
	found := m.run.place.ofWarp(name, 32, mask, value)
	m.run.knows(s, b.And(trace.Names(b, found, m.run.place.lane()), b.Eq(b.And(found, b.Not(mask)), zero)))
	m.run.set(s, d, found, false)
}

// elect chooses one of the lanes that a mask names, always the same one (PTX ISA, "elect.sync").
func (m *encounters) elect(s *state, d kernel.Operand, mask *term.Term) {
	b := m.terms
	leader := b.App("elect", 32, mask)
	m.run.knows(s, b.And(b.ULt(leader, b.Const(32, 32)), trace.Names(b, mask, leader)))
	m.run.set(s, d, leader, false)
	if d.Second != nil {
		s.regs[d.Second.Index] = b.Eq(m.run.place.lane(), leader)
	}
}

// active returns the mask of the lanes that execute an instruction together, the thread among them.
// All of them get the same mask, and each lane in it has come there (PTX ISA, "activemask"). The
// group of lanes is unknown, but each lane knows its group. In a loop or a function, lanes of
// several iterations or calls may be together, so that only the thread's own lane is known.
func (m *encounters) active(s *state) *term.Term {
	b := m.terms
	if len(m.run.loops.cutting)+len(m.run.loops.unrolled)+len(m.run.calls.stack) > 0 {
		mask := m.run.fresh("activemask", 32)
		m.run.knows(s, trace.Names(b, mask, m.run.place.lane()))
		return mask
	}
	name := m.run.rec.Unique("activemask")
	group := func(lane *term.Term) *term.Term { return m.run.place.ofWarp(name+" group", 32, lane) }
	comes := func(lane *term.Term) *term.Term { return m.run.place.ofWarp(name+" comes", 1, lane) }
	mask, other := m.run.place.ofWarp(name, 32, group(m.run.place.lane())), b.Var("∀lane", 32)
	here := m.run.guards.Term(s.guard)
	m.run.rec.Know(b.Eq(comes(m.run.place.lane()), here))
	m.run.knows(s, trace.Names(b, mask, m.run.place.lane()))
	with := b.And(comes(other), b.Eq(group(other), group(m.run.place.lane())))
	m.run.rec.Claim(trace.Claim{Vars: []*term.Term{other}, Holds: b.Implies(b.And(here, trace.Names(b, mask, other)), with)})
	return mask
}

// truth returns a predicate, which may be negated.
func (m *run) truth(s *state, o kernel.Operand) *term.Term {
	return m.operand(s, o, arith.Type{Bits: 1})
}

// knows assumes a condition where the thread is.
func (m *run) knows(s *state, holds *term.Term) {
	m.rec.Know(m.terms.Implies(m.guards.Term(s.guard), holds))
}

package symbolic

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Convergence is an instruction that lanes of a warp execute together: those that its mask names (PTX ISA,
// "bar.warp.sync", "shfl.sync", "vote.sync"). Each of them comes to it, with the same mask.
type Convergence struct {
	Point
	Mask   *term.Term   // 32 bits
	Rounds []*term.Term // of the loops around it that are cut
	Before int          // how many accesses come before it
	Orders bool         // it is a barrier of the lanes; else they only exchange values
}

// Exchange is what a lane of a warp gets from another, its leader.
type Exchange struct {
	Point
	From   *term.Term   // the number of the leader among the lanes, of 32 bits and below 32
	There  *term.Term   // the mask names it, and the block has such a thread
	Value  *term.Term   // what the thread itself brings
	Got    *term.Term   // what the leader brings
	Rounds []*term.Term // of the loops around it that are cut
}

// everyLane is the mask of a whole warp.
const everyLane = 1<<32 - 1

// converge notes that lanes meet, and that a mask names the thread itself.
func (m *machine) converge(s *state, mask *term.Term, orders bool) {
	if s.guard == guard.False {
		return
	}
	at := m.point(s, m.Bool(true))
	m.rec.Append(&Convergence{
		Point: at, Mask: mask, Rounds: m.everyRound(), Before: len(m.trace.Accesses), Orders: orders,
	})
	if own := m.Names(mask, m.lane()); !own.True() {
		m.rec.Append(&Check{Point: at, What: m.at.Name() + " with a mask that does not name its own lane", Holds: own})
	}
}

// everyRound are the rounds of all loops around that are cut.
func (m *machine) everyRound() (all []*term.Term) {
	for _, c := range m.cutting {
		all = append(all, c.round)
	}
	return all
}

// Names is whether a mask names a lane.
func (m *machine) Names(mask, lane *term.Term) *term.Term { return Names(m.Builder, mask, lane) }

// Names is whether a mask of 32 bits names a lane.
func Names(b *term.Builder, mask, lane *term.Term) *term.Term {
	return b.Extract(b.LShr(mask, lane), 0, 1)
}

func (m *machine) lane() *term.Term { return m.fixed["%laneid"] }

// exchange executes what looks at other threads of the warp: shfl and vote give what the lanes bring, anything else gives anything.
func (m *machine) exchange(s *state, in *kernel.Instr, op *instruction) {
	d := m.destination(in)
	if op.Code == isa.Activemask {
		m.set(s, d, m.active(s), false)
		return
	}
	if op.Meeting == isa.Sync && len(in.Ops) > 1 {
		mask := m.operand(s, in.Ops[len(in.Ops)-1], arith.U32)
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
		m.set(s, d, m.fresh(in.Name(), width(d.Register.Type)), false)
	}
	if d.Second != nil {
		s.regs[d.Second.Index] = m.fresh(in.Name(), width(d.Second.Type))
	}
}

// ofWarp is a function of a warp that meets here: all its threads get one value for one argument.
func (m *machine) ofWarp(name string, width int, args ...*term.Term) *term.Term {
	sh := &m.trace.Shape
	args = append(args, m.LShr(sh.Linear, m.Const(5, 32)))
	args = append(args, sh.Block[:]...)
	return m.App(name, width, append(args, m.everyRound()...)...)
}

// shuffle is shfl: the value of another lane (PTX ISA, "shfl.sync", has the lane as a formula). What each lane brings is
// a function of the lane, of which each thread knows its own value.
func (m *machine) shuffle(s *state, in *kernel.Instr, op *instruction, mask *term.Term) {
	value := m.operand(s, in.Ops[1], arith.U32)
	b := m.And(m.operand(s, in.Ops[2], arith.U32), m.Const(31, 32))
	c := m.operand(s, in.Ops[3], arith.U32)
	lane, low := m.lane(), m.Const(31, 32)
	segment := m.And(m.LShr(c, m.Const(8, 32)), low)
	most := m.Or(m.And(lane, segment), m.And(m.And(c, low), m.Not(segment)))
	least := m.And(lane, segment)
	var from, inside *term.Term
	switch op.Mode {
	case "up":
		from = m.Sub(lane, b)
		inside = m.Not(m.SLt(from, most))
	case "down":
		from = m.Add(lane, b)
		inside = m.Not(m.SLt(most, from))
	case "bfly":
		from = m.Xor(lane, b)
		inside = m.Not(m.SLt(most, from))
	default: // idx
		from = m.Or(least, m.And(b, m.Not(segment)))
		inside = m.Not(m.SLt(most, from))
	}
	from = m.And(from, low)
	name := m.unique("shfl")
	m.knows(s, m.Eq(m.ofWarp(name, 32, lane), value))
	first := m.Sub(m.trace.Shape.Linear, lane)
	sh := m.trace.Shape.Threads
	number := m.Or(m.And(m.trace.Shape.Linear, m.Const(everyLane-31, 32)), from) // so its bounds are seen
	there := m.And(m.Names(mask, from), m.ULt(number, m.Mul(sh[0], m.Mul(sh[1], sh[2]))))
	brought := m.ofWarp(name, 32, from)
	if exact := m.inPlace(value, m.Add(first, from)); exact != nil {
		brought = exact
	} else {
		m.rec.Append(&Exchange{m.point(s, m.Bool(true)), from, there, value, brought, m.everyRound()})
	}
	other := m.Ite(there, brought, m.fresh("shfl", 32))
	m.set(s, in.Ops[0], m.Ite(inside, other, value), false)
	if d := in.Ops[0]; d.Second != nil {
		s.regs[d.Second.Index] = m.fit(inside, width(d.Second.Type), false)
	}
}

// inPlace is what a term is for another thread of a block in one dimension; nil if it is made of more than the place of the thread.
func (m *machine) inPlace(t, linear *term.Term) *term.Term {
	sh := &m.trace.Shape
	if one := m.Const(1, 32); sh.Threads[1] != one || sh.Threads[2] != one || len(sh.Thread[0].Args()) != 1 {
		return nil
	}
	mine := sh.Thread[0].Args()[0]
	ofBlock := map[*term.Term]bool{}
	for _, b := range sh.Block {
		for _, v := range b.Args() {
			ofBlock[v] = true
		}
	}
	if m.mentions(t, func(v *term.Term) bool {
		return v.Op() == term.App || m.trace.Private[v] && v != mine && !ofBlock[v]
	}) {
		return nil
	}
	return m.Rename(func(v *term.Term) *term.Term {
		if v == mine {
			return m.Extract(linear, 0, v.Width())
		}
		return v
	}).Term(t)
}

// vote gives all lanes that meet one value, of which each knows something.
func (m *machine) vote(s *state, in *kernel.Instr, op *instruction, mask *term.Term) {
	d := in.Ops[0]
	value := m.ofWarp(m.unique("vote"), width(d.Register.Type), mask)
	mine := m.truth(s, in.Ops[1])
	switch op.Mode {
	case "all":
		m.knows(s, m.Implies(m.Ne(value, m.Const(0, value.Width())), mine))
	case "any":
		m.knows(s, m.Implies(mine, m.Ne(value, m.Const(0, value.Width()))))
	case "ballot":
		m.knows(s, m.Eq(m.Names(value, m.lane()), mine))
	}
	m.set(s, d, value, false)
}

// match gives lanes that bring the same value the same mask, which names them all (PTX ISA, "match.sync"); or all lanes one mask, which is
// theirs if they bring one value, and else 0.
func (m *machine) match(s *state, in *kernel.Instr, op *instruction, mask *term.Term) {
	d, name, zero := in.Ops[0], m.unique("match"), m.Const(0, 32)
	value := m.operand(s, in.Ops[1], op.Type(0).Int())
	if op.Mode == "all" {
		same := m.Ne(m.ofWarp(name, 32, mask), zero)
		m.set(s, d, m.Ite(same, mask, zero), false)
		if d.Second != nil {
			s.regs[d.Second.Index] = same
		}
		return
	}
	found := m.ofWarp(name, 32, mask, value)
	m.knows(s, m.And(m.Names(found, m.lane()), m.Eq(m.And(found, m.Not(mask)), zero)))
	m.set(s, d, found, false)
}

// elect chooses one lane of those that a mask names, always the same one (PTX ISA, "elect.sync").
func (m *machine) elect(s *state, d kernel.Operand, mask *term.Term) {
	leader := m.App("elect", 32, mask)
	m.knows(s, m.And(m.ULt(leader, m.Const(32, 32)), m.Names(mask, leader)))
	m.set(s, d, leader, false)
	if d.Second != nil {
		s.regs[d.Second.Index] = m.Eq(m.lane(), leader)
	}
}

// active is the mask of the lanes that execute an instruction together, the thread among them: all of them get the same one, and each lane that it
// names has come there (PTX ISA, "activemask"). Which these are is not known: a group of lanes, of which each knows who it is with. In a loop or a
// function, those who come there in several rounds or by several calls may be together, so that only the own lane is known.
func (m *machine) active(s *state) *term.Term {
	if len(m.cutting)+len(m.unrolled)+len(m.calls) > 0 {
		mask := m.fresh("activemask", 32)
		m.knows(s, m.Names(mask, m.lane()))
		return mask
	}
	name := m.unique("activemask")
	group := func(lane *term.Term) *term.Term { return m.ofWarp(name+" group", 32, lane) }
	comes := func(lane *term.Term) *term.Term { return m.ofWarp(name+" comes", 1, lane) }
	mask, other := m.ofWarp(name, 32, group(m.lane())), m.Var("∀lane", 32)
	here := m.guards.Term(s.guard)
	m.rec.Know(m.Eq(comes(m.lane()), here))
	m.knows(s, m.Names(mask, m.lane()))
	with := m.And(comes(other), m.Eq(group(other), group(m.lane())))
	m.rec.Claim(Claim{Vars: []*term.Term{other}, Holds: m.Implies(m.And(here, m.Names(mask, other)), with)})
	return mask
}

// truth is a predicate, which may be negated.
func (m *machine) truth(s *state, o kernel.Operand) *term.Term {
	return m.operand(s, o, arith.Type{Bits: 1})
}

// knows takes something to hold where the thread is.
func (m *machine) knows(s *state, holds *term.Term) {
	m.rec.Know(m.Implies(m.guards.Term(s.guard), holds))
}

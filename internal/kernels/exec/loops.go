package exec

import (
	"cmp"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// loops executes the blocks of functions, in and outside of loops.
type loops struct {
	run      *run
	terms    *term.Builder
	cutting  []*cut                    // loops that are cut and executed, the outermost first
	some     bool                      // some loop was cut
	agreed   map[*term.Term]bool       // variables of the thread that threads which meet have in common
	lasts    map[*term.Term]*term.Term // the last rounds of loops that were cut, in which threads meet, by their rounds
	unrolled []*kernel.Instr           // first instructions of the loops that are being unrolled, the outermost first
	// loops that may have ended in a round that was executed, by their first instructions
	unsure map[*kernel.Instr]bool
	lost   guard.Guard // as Trace.Lost
}

// walk executes blocks in their order. A loop with several entries may be entered in its middle:
// what is pending there comes first.
func (m *loops) walk(fr *frame, order []kernel.Loop) {
	for _, l := range order {
		if l.Back && fr.pending[l.Head] == nil {
			m.walk(fr, l.Body)
		}
		switch {
		case fr.pending[l.Head] == nil:
		case !l.Back:
			m.block(fr, l.Head)
		case m.cuts(fr.head(l)):
			m.cut(fr, l)
		default:
			m.unrolled = append(m.unrolled, fr.head(l))
			m.unroll(fr, l)
			m.unrolled = m.unrolled[:len(m.unrolled)-1]
		}
	}
}

// cuts reports whether a loop is to be cut.
func (m *loops) cuts(head *kernel.Instr) bool {
	if m.run.config.Cut == nil {
		return false
	}
	_, cut := m.run.config.Cut(head)
	trace.Set(m.run.rec, &m.some, m.some || cut)
	return cut
}

func (fr *frame) head(l kernel.Loop) *kernel.Instr { return fr.f.Instrs[fr.flow.Blocks[l.Head].First] }

// sureRounds bounds the rounds of a loop that are sure to come.
const sureRounds = 1100

// unroll executes a loop until no path leads back to its head. Iterations that are certain have a
// bound of their own. Iterations that continue an inner loop that was left do not count as certain.
func (m *loops) unroll(fr *frame, l kernel.Loop) {
	sure, unsure, most := 0, 0, cmp.Or(m.run.config.Limits.Sure, sureRounds)
	for fr.pending[l.Head] != nil {
		before := fr.pending[l.Head].guard
		m.block(fr, l.Head)
		m.walk(fr, l.Body)
		next := fr.pending[l.Head]
		switch {
		case next == nil:
			return
		case m.run.guards.Under(m.run.guards.Or(next.guard, m.lost), before) == guard.True:
			sure++
		default:
			unsure++
			trace.Put(m.run.rec, m.unsure, fr.head(l), true)
		}
		if sure == most || unsure == m.run.config.Limits.Rounds {
			trace.Set(m.run.rec, &m.run.rec.Trace.Lost, m.terms.Or(m.run.rec.Trace.Lost, m.run.guards.Term(next.guard)))
			trace.Set(m.run.rec, &m.lost, m.run.guards.Or(m.lost, next.guard))
			fr.pending[l.Head] = nil
			m.loose(fr.head(l))
		}
	}
}

func (m *loops) loose(in *kernel.Instr) {
	if !slices.Contains(m.run.rec.Trace.Loose, in) {
		m.run.rec.Change(trace.Push(&m.run.rec.Trace.Loose, in))
		if !m.unsure[in] {
			m.run.rec.Change(trace.Push(&m.run.rec.Trace.Long, in))
		}
	}
}

// long reports whether each round so far of the innermost loop that is being unrolled was sure to
// be followed by another.
func (m *loops) long() bool {
	n := len(m.unrolled)
	return n > 0 && !m.unsure[m.unrolled[n-1]]
}

// push makes a block continue with a state. A nil state is a path that no thread takes.
func (m *loops) push(fr *frame, block int, s *state) {
	if s != nil {
		if trap := m.run.code.doomed(fr, block); trap != nil {
			m.aborts(s, trap)
			return
		}
	}
	fr.pending[block] = m.run.merge(fr.pending[block], s)
}

// block executes a block.
func (m *loops) block(fr *frame, id int) {
	b := fr.flow.Blocks[id]
	s := fr.pending[id]
	fr.pending[id] = nil
	m.run.count(b.End-b.First, fr.f.Instrs[b.First])
	s.carry = nil // PTX ISA, "Extended-Precision Integer Arithmetic Instructions": for straight-line code
	for _, in := range fr.f.Instrs[b.First : b.End-1] {
		m.run.before(s, in)
		if s = m.guarded(s, in); s == nil {
			return
		}
	}
	m.run.before(s, fr.f.Instrs[b.End-1])
	m.last(fr, b, s, fr.f.Instrs[b.End-1])
}

// last executes the last instruction of a block.
func (m *loops) last(fr *frame, b kernel.Block, s *state, in *kernel.Instr) {
	op := m.run.code.decode(in)
	switch class := op.Class(); {
	case class == isa.ClassBranch, class == isa.ClassReturn, class == isa.ClassExit, op.Code == isa.Trap:
		goes, stays := s, (*state)(nil)
		if in.Guard != nil {
			p := m.run.predicate(s, in)
			m.branches(s, p)
			g := m.run.guards.Of(p)
			goes, stays = m.run.under(s, g), m.run.under(s, m.run.guards.Not(g))
			m.run.numbers.goes(goes, p)
			m.run.numbers.goes(stays, m.terms.Not(p))
		}
		next := b.Next
		switch class {
		case isa.ClassBranch:
			m.jump(fr, goes, in, next)
			next = next[len(in.Targets()):]
		case isa.ClassReturn:
			fr.ret = m.run.merge(fr.ret, goes)
		case isa.ClassTrap:
			m.aborts(goes, in)
		}
		if stays != nil && len(next) > 0 {
			m.push(fr, next[0], stays)
		}
	default:
		s = m.guarded(s, in)
		switch {
		case s == nil:
		case len(b.Next) > 0:
			m.push(fr, b.Next[0], s)
		default:
			if class == isa.ClassCall {
				m.run.rec.Append(&trace.Check{
					Point: m.run.point(s, m.terms.Bool(true)), What: "return from a call that ends its function, which has no ret", Holds: m.terms.Bool(false),
				})
			}
			fr.ret = m.run.merge(fr.ret, s)
		}
	}
}

// jump goes on where a branch goes: to its label, or to one of its table that an index chooses.
func (m *loops) jump(fr *frame, s *state, in *kernel.Instr, next []int) {
	b := m.terms
	n := len(in.Targets())
	switch {
	case n == 0:
		m.run.refuse("a branch to labels", "where this %s goes is not known", in.Opcode)
	case s == nil:
		return
	case in.Name() == "bra":
		m.push(fr, next[0], s)
		return
	}
	index := m.run.operand(s, in.Ops[0], arith.U32)
	m.run.rec.Append(&trace.Check{
		Point: m.run.point(s, b.Bool(true)), What: "branch with an index beyond its table", Holds: b.ULt(index, b.Const(uint64(n), 32)), Rounds: m.everyRound(),
	})
	for i, target := range next[:n] {
		is := b.Eq(index, b.Const(uint64(i), 32))
		m.branches(s, is)
		m.push(fr, target, m.run.under(s, m.run.guards.Of(is)))
	}
}

// branches records a branch, if that is asked for.
func (m *loops) branches(s *state, goes *term.Term) {
	if m.run.config.Branches && goes.Op() != term.Const {
		m.run.rec.Append(&trace.Branch{Point: m.run.point(s, m.terms.Bool(true)), Goes: goes, Rounds: m.everyRound()})
	}
}

// guarded executes an instruction where its guard holds. The thread goes on to the next one.
func (m *loops) guarded(s *state, in *kernel.Instr) *state {
	if in.Guard == nil {
		return m.run.step(s, in)
	}
	p := m.run.predicate(s, in)
	g := m.run.guards.Of(p)
	does, not := m.run.under(s, g), m.run.under(s, m.run.guards.Not(g))
	m.run.numbers.goes(does, p)
	if does != nil {
		does = m.run.step(does, in)
	}
	return m.run.merge(does, not)
}

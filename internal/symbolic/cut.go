package symbolic

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/prove/guard"
	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A loop that is cut is executed once, from a state that stands for that at the head of any round. A
// register that each round changes by the same amount holds its first value and so many times
// that amount; any other that the loop writes may hold anything. What is found to be free of races
// is so in any two rounds; what is not may be so only in rounds that never come.

// cut executes a loop that is cut. The thread is taken to leave it sometime.
func (m *machine) cut(fr *frame, l kernel.Loop) {
	before := fr.pending[l.Head]
	in := blocksOf(l)
	m.cuttable(fr, l, in)
	outside, ret := slices.Clone(fr.pending), fr.ret
	mark, oldest := m.mark(), m.Len()
	anything, strides := m.anything(fr, before, in), map[int]*term.Term(nil)
	before.wrote[anyRegion] = true // in an earlier round
	for trial := range 2 {
		for i := range fr.pending {
			fr.pending[i] = nil
		}
		fr.ret = nil
		fr.pending[l.Head] = m.round(before, anything, strides)
		m.block(fr, l.Head)
		m.walk(fr, l.Body)
		if trial == 0 {
			strides = m.strides(anything, fr.pending[l.Head], oldest)
			m.reset(mark)
		}
	}
	if len(m.trace.Barriers) > mark.barriers {
		m.at = fr.head(l)
		m.refuse("a size for which the loop ends after a number of rounds that is known", "a loop with barriers that does not end after a number of rounds that is known")
	}
	m.leave(fr, before.guard, in, outside, ret)
}

// blocksOf are the blocks of a loop.
func blocksOf(l kernel.Loop) map[int]bool {
	all := map[int]bool{l.Head: true}
	for _, inner := range l.Body {
		maps.Copy(all, blocksOf(inner))
	}
	return all
}

// cuttable refuses loops in which threads end.
func (m *machine) cuttable(fr *frame, l kernel.Loop, in map[int]bool) {
	for id := range in {
		b := fr.flow.Blocks[id]
		if class := m.decode(fr.f.Instrs[b.End-1]).Class(); class == isa.ClassExit || class == isa.ClassTrap {
			m.at = fr.head(l)
			m.refuse("a size for which the loop ends after a number of rounds that is known", "a loop in which the thread ends, and whose rounds are not known")
		}
	}
}

// havoc is the state at the head of a round that nothing is known about: the registers that the loop
// writes hold variables.
type havoc struct {
	vars  map[int]*term.Term // by the index of the register
	own   map[*Region]cells
	round *term.Term
}

// anything makes the variables.
func (m *machine) anything(fr *frame, s *state, in map[int]bool) *havoc {
	h := &havoc{vars: map[int]*term.Term{}, own: maps.Clone(s.own), round: m.unknown("round", 64)}
	through := false
	for id := range fr.flow.Blocks { // in order, for names that do not vary
		if !in[id] {
			continue
		}
		b := fr.flow.Blocks[id]
		for _, instr := range fr.f.Instrs[b.First:b.End] {
			op := m.decode(instr)
			for i, o := range instr.Ops {
				if i == 0 && op.Class() != isa.ClassCall && op.Code != isa.St {
					m.written(h, s, o)
				}
			}
			switch {
			case op.Class() == isa.ClassCall, op.Class() == isa.ClassAtomic:
				through = true
				m.forget(h, instr.Ops)
			case op.Code == isa.St:
				if base := instr.Ops[0]; base.Kind == kernel.Address && base.List[0].Kind == kernel.Var {
					delete(h.own, m.region(base.List[0].Variable))
				} else {
					through = true
				}
			}
		}
	}
	if through {
		maps.DeleteFunc(h.own, func(r *Region, _ cells) bool { return m.escaped(r) })
	}
	return h
}

// forget forgets the parameters of a call.
func (m *machine) forget(h *havoc, ops []kernel.Operand) {
	for _, o := range ops {
		if o.Kind == kernel.Var {
			delete(h.own, m.region(o.Variable))
		}
		m.forget(h, o.List)
	}
}

func (m *machine) unknown(name string, width int) *term.Term {
	v := m.fresh(name, width)
	m.trace.Havoc[v] = true
	return v
}

// written gives the registers of a result their variables.
func (m *machine) written(h *havoc, s *state, o kernel.Operand) {
	add := func(r *kernel.Register) {
		if r != nil && h.vars[r.Index] == nil && r.Vector == 0 && width(r.Type) <= 64 {
			h.vars[r.Index] = m.unknown("loop:"+r.Name, width(r.Type))
		}
	}
	switch o.Kind {
	case kernel.Reg:
		add(o.Register)
		add(o.Second)
	case kernel.Vector, kernel.Tuple:
		for _, x := range o.List {
			m.written(h, s, x)
		}
	}
}

// round is the state at the head of any round, given what each round adds to registers; of those that
// strides do not have, nothing is known. A register that no thread has written before stays unknown.
func (m *machine) round(before *state, h *havoc, strides map[int]*term.Term) *state {
	s := before.clone()
	s.own = maps.Clone(h.own)
	for i, v := range h.vars {
		first, stride := before.regs[i], strides[i]
		if first == nil || stride == nil {
			s.regs[i] = v
			continue
		}
		s.regs[i] = m.Add(first, m.Mul(m.Extract(h.round, 0, v.Width()), stride))
	}
	return s
}

// strides is what a round adds to registers: a term without anything that rounds change, such as the
// variables of the thread that are not older than the loop.
func (m *machine) strides(h *havoc, after *state, oldest int) map[int]*term.Term {
	all := map[int]*term.Term{}
	if after == nil {
		return all
	}
	for i, v := range h.vars {
		if next := after.regs[i]; next != nil && v.Width() > 1 {
			if stride := m.Sub(next, v); !m.changes(stride, oldest) {
				all[i] = stride
			}
		}
	}
	return all
}

// changes reports that a term has a variable of the thread in it that is not older than oldest.
func (m *machine) changes(t *term.Term, oldest int) bool {
	seen := map[*term.Term]bool{}
	var visit func(t *term.Term) bool
	visit = func(t *term.Term) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		return t.ID() >= oldest && m.trace.Private[t] || slices.ContainsFunc(t.Args(), visit)
	}
	return visit(t)
}

// leave goes on after a loop that was cut. It is left in some way, so the last of the ways out is
// the one that is taken if no other is.
func (m *machine) leave(fr *frame, entered guard.Guard, in map[int]bool, outside []*state, ret *state) {
	var ways []*state
	some := guard.False
	for id, s := range fr.pending {
		if s != nil && !in[id] {
			ways = append(ways, s)
		}
	}
	if fr.ret != nil {
		ways = append(ways, fr.ret)
	}
	for i, s := range ways {
		others := some
		some = m.guards.Or(some, s.guard)
		if i == len(ways)-1 {
			fact := m.Implies(m.guards.Term(entered), m.guards.Term(some))
			m.trace.Facts = append(m.trace.Facts, fact)
			s.guard = m.guards.And(entered, m.guards.Not(others))
		}
	}
	for id := range outside {
		if in[id] {
			fr.pending[id] = nil
		} else {
			fr.pending[id] = m.merge(outside[id], fr.pending[id])
		}
	}
	fr.ret = m.merge(ret, fr.ret)
}

// mark is how far the trace has come.
type mark struct{ accesses, barriers, checks, reads, returns, facts int }

func (m *machine) mark() mark {
	t := &m.trace
	return mark{len(t.Accesses), len(t.Barriers), len(t.Checks), len(t.Reads), len(t.Returns), len(t.Facts)}
}

// reset forgets what was noted after a mark.
func (m *machine) reset(to mark) {
	t := &m.trace
	t.Accesses, t.Barriers, t.Checks = t.Accesses[:to.accesses], t.Barriers[:to.barriers], t.Checks[:to.checks]
	t.Reads, t.Returns, t.Facts = t.Reads[:to.reads], t.Returns[:to.returns], t.Facts[:to.facts]
}

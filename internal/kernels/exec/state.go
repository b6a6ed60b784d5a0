package exec

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// state is the knowledge of a thread at a point of a path; each path has its own.
type state struct {
	guard guard.Guard
	regs  []*term.Term // of the function that is executed; nil if not written yet
	own   map[*trace.Region]cells
	epoch [trace.Memories]trace.Epochs // of what each memory has of them
	// groups is the number of groups of asynchronous copies that the thread has committed.
	groups  *term.Term
	arrived *term.Term                // the number of barriers for some threads of the block that it has reached
	carry   *term.Term                // of the last instruction with .cc in this block, or nil
	quiet   bool                      // loads are those of an annotation
	wrote   map[*trace.Region]writing // since the barrier before
}

// writing is what is known of the thread's writes to an array.
type writing uint8

// What may be known: the writes are among the accesses of the trace, or they may be of rounds of a
// loop which are not in it.
const (
	unwritten writing = iota
	listed
	unlisted
)

// writes records that the thread has written to an array.
func (s *state) writes(r *trace.Region, how writing) { s.wrote[r] = max(s.wrote[r], how) }

// passed returns the barriers that order a region.
func (s *state) passed(r *trace.Region) trace.Epochs { return s.epoch[r.Memory()] }

// barriers returns the number of barriers of the block that have been passed, if each orders all
// memory.
func (s *state) barriers() *term.Term { return s.epoch[trace.GlobalMemory][trace.Block] }

// clone returns a copy that can be changed.
func (s *state) clone() *state {
	c := *s
	c.regs = append([]*term.Term(nil), s.regs...)
	c.own, c.wrote = maps.Clone(s.own), maps.Clone(s.wrote)
	return &c
}

// rename renames variables in the registers and in the thread's own memory, where unoptimised code
// keeps its parameters.
func (s *state) rename(is *term.Renaming) {
	for i, r := range s.regs {
		if r != nil {
			s.regs[i] = is.Term(r)
		}
	}
	for r, all := range s.own {
		all = slices.Clone(all) // others may have them, too
		for i := range all {
			all[i].value = is.Term(all[i].value)
		}
		s.own[r] = all
	}
}

// under returns the state where a condition holds, too; nil if it cannot.
func (m *run) under(s *state, g guard.Guard) *state {
	both := m.guards.And(s.guard, g)
	if both == guard.False {
		return nil
	}
	c := s.clone()
	c.guard = both
	return c
}

// merge returns the state where two ways meet; either may be nil. No thread comes both ways.
func (m *run) merge(s, t *state) *state {
	switch {
	case s == nil:
		return t
	case t == nil:
		return s
	}
	all := m.guards.Or(s.guard, t.guard)
	first := m.guards.Term(m.guards.Under(s.guard, all))
	choose := func(x, y *term.Term) *term.Term { return m.terms.Ite(first, x, y) }
	r := &state{guard: all, regs: make([]*term.Term, len(s.regs)), own: map[*trace.Region]cells{}, wrote: maps.Clone(s.wrote), quiet: s.quiet && t.quiet}
	for i := range r.regs {
		x, y := s.regs[i], t.regs[i]
		switch {
		case x == y:
			r.regs[i] = x
		case x == nil:
			r.regs[i] = choose(m.fresh("undefined", y.Width()), y)
		case y == nil:
			r.regs[i] = choose(x, m.fresh("undefined", x.Width()))
		default:
			r.regs[i] = choose(x, y)
		}
	}
	if s.carry != nil && t.carry != nil {
		r.carry = choose(s.carry, t.carry)
	}
	for region, how := range t.wrote {
		r.writes(region, how)
	}
	r.groups, r.arrived = choose(s.groups, t.groups), choose(s.arrived, t.arrived)
	for region, x := range s.own {
		if y, ok := t.own[region]; ok {
			r.own[region] = mergeCells(x, y, choose)
		}
	}
	for k := range r.epoch {
		for i := range r.epoch[k] {
			r.epoch[k][i] = choose(s.epoch[k][i], t.epoch[k][i])
		}
	}
	return r
}

package exec

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Threads that meet at barriers in a loop iterate together: if one begins another iteration, so do
// all, or they would miss each other. So between two barriers, two threads are in the same
// iteration; or one is past the last barrier of its iteration and the other is before the first
// barrier of the next. The number of barriers that a thread has passed grows with the iterations
// and identifies the iteration. A register that is equal in all threads is a function of the
// iteration.

// convoy is what threads that iterate a loop together have in common.
type convoy struct {
	cut   *cut
	terms *term.Builder
}

// rounds returns the iterations that a thread is in, for the cut loops with barriers, the outermost
// first.
func (m *loops) rounds() (all []*term.Term) {
	for _, c := range m.cutting {
		if c.known.meets {
			all = append(all, c.round)
		}
	}
	return all
}

// met reports whether threads have met in the iteration, and in which scope. Lanes of a whole warp
// that exchange values meet, too.
func (c *convoy) met() (met bool, scope trace.Scope) {
	for _, b := range trace.Since[*trace.Barrier](c.cut.run.rec, c.cut.begun.mark) {
		met, scope = true, max(scope, b.Scope)
	}
	for _, l := range trace.Since[*trace.Convergence](c.cut.run.rec, c.cut.begun.mark) {
		if n, ok := l.Mask.Value(); ok && n == everyLane {
			met, scope = true, max(scope, trace.Warp)
		}
	}
	return met, scope
}

// parting returns the loop as one in which some lanes meet; nil if none do.
func (c *convoy) parting() *trace.Parting {
	all := trace.Since[*trace.Convergence](c.cut.run.rec, c.cut.begun.mark)
	if len(all) == 0 || c.cut.after == nil {
		return nil
	}
	c.cut.run.loops.cutting = append(c.cut.run.loops.cutting, c.cut)
	defer func() { c.cut.run.loops.cutting = c.cut.run.loops.cutting[:len(c.cut.run.loops.cutting)-1] }()
	c.cut.run.at = c.cut.fr.head(c.cut.loop)
	p := &trace.Parting{Point: c.cut.run.point(c.cut.before, c.terms.Bool(true)), Rounds: c.cut.run.loops.everyRound(), Again: c.cut.run.guards.Term(c.cut.after.guard)}
	for _, l := range all {
		mask := l.Mask
		if term.Mentions(mask, func(v *term.Term) bool { return v.ID() >= c.cut.begun.oldest }) {
			mask = nil
		}
		if !slices.Contains(p.Masks, mask) {
			p.Masks = append(p.Masks, mask)
		}
	}
	return p
}

// together returns a term that is equal in all threads that meet in an iteration.
func (c *convoy) together(name string, width int, scope trace.Scope, round ...*term.Term) *term.Term {
	b := c.terms
	var args []*term.Term
	for _, o := range c.cut.run.loops.cutting {
		if o != c.cut && o.known.meets {
			args = append(args, o.round)
		}
	}
	sh := c.cut.run.rec.Trace.Shape
	if scope < trace.Grid {
		args = append(args, sh.Block[:]...)
	}
	if scope < trace.Block {
		args = append(args, b.LShr(sh.Linear, b.Const(5, 32)))
	}
	t := b.App(name, width, append(args, round...)...)
	c.cut.run.rec.Trace.Havoc[t] = true
	return t
}

// lastRound returns the round after which all leave.
func (c *convoy) lastRound() *term.Term {
	round := trace.Variable(c.cut.round)
	return c.together(round.Name()+":last", round.Width(), c.cut.known.scope)
}

// bounded assumes that a thread is in no iteration after the last.
func (c *convoy) bounded() {
	b := c.terms
	if c.cut.known.meets {
		c.cut.run.rec.Know(b.Implies(c.cut.run.guards.Term(c.cut.before.guard), b.ULe(c.cut.round, b.ZExt(c.lastRound(), 64))))
		c.starts()
	}
}

// left assumes that a thread that has left was in the last iteration.
func (c *convoy) left() {
	b := c.terms
	if c.cut.known.meets {
		last := c.lastRound()
		c.cut.run.rec.Know(b.Implies(c.cut.run.guards.Term(c.cut.before.guard), b.Eq(c.cut.round, b.ZExt(last, 64))))
		c.cut.run.loops.lasts[trace.Variable(c.cut.round)] = last
	}
}

// meeting returns the loop as one that threads go round together.
func (c *convoy) meeting() *trace.Meeting {
	b := c.terms
	c.cut.run.loops.cutting = append(c.cut.run.loops.cutting, c.cut)
	defer func() { c.cut.run.loops.cutting = c.cut.run.loops.cutting[:len(c.cut.run.loops.cutting)-1] }()
	c.cut.run.at = c.cut.fr.head(c.cut.loop)
	met := &trace.Meeting{Point: c.cut.run.point(c.cut.before, b.Bool(true)), Scope: c.cut.known.scope, Rounds: c.cut.run.loops.rounds(), Again: b.Bool(false), Last: b.ZExt(c.lastRound(), 64), Next: b.Bool(false)}
	if c.cut.after == nil {
		return met
	}
	met.Again = c.cut.run.guards.Term(c.cut.after.guard)
	met.Next = met.Again
	for i, v := range c.cut.slots.vars {
		if c.cut.known.strides[i] == nil && !c.cut.known.apart[i] && c.cut.slots.get(c.cut.before, i) != nil {
			next := c.together(v.Name(), v.Width(), c.cut.known.scope, b.Add(c.cut.round, b.Const(1, 64)))
			met.Next = b.And(met.Next, b.Eq(c.cut.slots.based(i, next), c.cut.slots.get(c.cut.after, i)))
		}
	}
	met.Next = c.ends(met.Next)
	met.Passed = c.passings()
	return met
}

// ends replaces the variables of inner loops in a term by fresh ones.
func (c *convoy) ends(t *term.Term) *term.Term {
	mine := map[*term.Term]bool{trace.Variable(c.cut.round): true}
	for _, v := range c.cut.slots.vars {
		mine[v] = true
	}
	fresh := map[*term.Term]*term.Term{}
	return c.terms.Rename(func(v *term.Term) *term.Term {
		if v.ID() < c.cut.begun.oldest || !c.cut.run.rec.Trace.Havoc[v] || mine[v] {
			return v
		}
		if fresh[v] == nil {
			fresh[v] = c.cut.run.fresh(v.Name(), v.Width())
		}
		return fresh[v]
	}).Term(t)
}

// differing returns the slots that may differ between threads that meet: those whose values, before
// the loop or after an iteration, depend on something that differs.
func (c *convoy) differing(scope trace.Scope) map[int]bool {
	all := map[int]bool{}
	for i := range c.cut.slots.vars {
		first, next := c.cut.slots.get(c.cut.before, i), c.cut.slots.get(c.cut.after, i)
		all[i] = c.cut.known.apart[i] || first != nil && (c.cut.run.loops.differs(first, scope) || next != nil && c.cut.run.loops.differs(next, scope))
		if !all[i] {
			delete(all, i)
		}
	}
	return all
}

// differs reports whether threads that meet may have different values of a term.
func (m *loops) differs(t *term.Term, scope trace.Scope) bool {
	ofBlock := trace.Variables(m.run.rec.Trace.Shape.Block[:]...)
	return term.Mentions(t, func(v *term.Term) bool {
		return v.Op() == term.Var && m.run.rec.Trace.Private[v] && !(scope < trace.Grid && ofBlock[v]) && !m.agreed[v]
	})
}

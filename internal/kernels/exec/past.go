package exec

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// An invariant of one iteration may be too weak for the next: if registers take turns, the value of
// one is that of another two iterations ago. So claims may be proved by k-induction: they hold in
// the first iterations, and after an iteration if they have held in it and in some before it
// (Donaldson, Haller, Kroening, Rümmer, "Software Verification Using k-Induction", SAS 2011).
// Earlier iterations need no execution of their own: the result of an iteration is a term over its
// head, and renaming its variables gives the result of the one before.

// remember assumes that the head of any iteration is the result of the Config.Past iterations
// before it, and that the claims held in these.
func (c *cut) remember() {
	b := c.terms
	if c.run.config.Past == 0 || c.after == nil {
		return
	}
	back := c.back()
	entered := c.run.guards.Term(c.before.guard)
	c.run.rec.Know(b.Implies(entered, c.past(back, c.run.config.Past)))
	for _, claim := range c.claims {
		held := claim.Head
		for n := range c.run.config.Past {
			held = back.Term(held)
			claim.Past = append(claim.Past, len(c.run.rec.Trace.Facts))
			c.run.rec.Know(b.Implies(b.And(entered, b.ULt(b.Const(uint64(n), 64), c.round)), held))
		}
	}
}

// past returns the condition that the round is the first, or that the one before has left what
// there is at its head; of that one, the same is known, n rounds back in all.
func (c *cut) past(back *term.Renaming, n int) *term.Term {
	b := c.terms
	if n == 0 {
		return b.Bool(true)
	}
	first, follows := b.Bool(true), back.Term(c.run.guards.Term(c.after.guard))
	for _, i := range slices.Sorted(maps.Keys(c.slots.vars)) {
		now := c.slots.get(c.start, i)
		if was := c.slots.get(c.before, i); was != nil {
			first = b.And(first, b.Eq(now, was))
		}
		if left := c.slots.get(c.after, i); left != nil {
			follows = b.And(follows, b.Eq(now, back.Term(left)))
		}
	}
	return b.Ite(b.Eq(c.round, b.Const(0, 64)), first, b.And(follows, back.Term(c.past(back, n-1))))
}

// back returns a renaming from an iteration to the one before: the thread's own variables of the
// iteration get other names.
func (c *cut) back() *term.Renaming {
	b := c.terms
	round := trace.Variable(c.round)
	return b.Rename(func(v *term.Term) *term.Term {
		switch {
		case v == round:
			return b.Sub(v, b.Const(1, v.Width()))
		case v.ID() < c.begun.oldest || !c.run.rec.Trace.Private[v]:
			return v
		}
		was := c.run.fresh(v.Name(), v.Width())
		c.run.rec.Trace.Havoc[was] = c.run.rec.Trace.Havoc[v]
		return was
	})
}

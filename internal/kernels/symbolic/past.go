package symbolic

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// What an invariant says of one round may be too little for the next: where registers take turns, what one of them holds is what another
// held two rounds ago. So claims may be proved by k-induction: they hold in the first rounds, and after a round if they have held in it
// and in some before it (Donaldson, Haller, Kroening, Rümmer, "Software Verification Using k-Induction", SAS 2011). The
// rounds before are no executions of their own: what a round leaves is a term over its head, and the same with other variables is
// what the one before has left.

// remember takes the head of any round to be what the rounds before have left, as many as Config.Past says, and claims to have held in
// these.
func (c *cut) remember() {
	if c.config.Past == 0 || c.after == nil {
		return
	}
	back := c.back()
	entered := c.guards.Term(c.before.guard)
	c.rec.Know(c.Implies(entered, c.past(back, c.config.Past)))
	for _, claim := range c.claims {
		held := claim.head
		for n := range c.config.Past {
			held = back.Term(held)
			claim.past = append(claim.past, len(c.trace.Facts))
			c.rec.Know(c.Implies(c.And(entered, c.ULt(c.Const(uint64(n), 64), c.round)), held))
		}
	}
}

// past is that the round is the first, or that the one before has left what there is at its head; of that one, the
// same is known, n rounds back in all.
func (c *cut) past(back *term.Renaming, n int) *term.Term {
	if n == 0 {
		return c.Bool(true)
	}
	first, follows := c.Bool(true), back.Term(c.guards.Term(c.after.guard))
	for _, i := range slices.Sorted(maps.Keys(c.vars)) {
		now := c.get(c.start, i)
		if was := c.get(c.before, i); was != nil {
			first = c.And(first, c.Eq(now, was))
		}
		if left := c.get(c.after, i); left != nil {
			follows = c.And(follows, c.Eq(now, back.Term(left)))
		}
	}
	return c.Ite(c.Eq(c.round, c.Const(0, 64)), first, c.And(follows, back.Term(c.past(back, n-1))))
}

// back makes what was in the round before out of what is in a round: what the thread has for itself in it is something else there.
func (c *cut) back() *term.Renaming {
	round := c.round.Args()[0]
	return c.Rename(func(v *term.Term) *term.Term {
		switch {
		case v == round:
			return c.Sub(v, c.Const(1, v.Width()))
		case v.ID() < c.oldest || !c.trace.Private[v]:
			return v
		}
		was := c.fresh(v.Name(), v.Width())
		c.trace.Havoc[was] = c.trace.Havoc[v]
		return was
	})
}

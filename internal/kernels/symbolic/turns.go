package symbolic

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// Registers and cells that take turns hold one thing in even rounds and another in odd ones: two pointers that swap the arrays
// which a kernel reads from and writes to, or the number of a buffer, 1 - p after p. That is found by executing a round, as a stride is: the round
// after the first one has the other value, and the one after that the first again.

// turns is what slots that take turns hold in odd rounds.
func (c *cut) turns() map[int]*term.Term {
	all := map[int]*term.Term{}
	if c.after == nil {
		return all
	}
	for _, i := range slices.Sorted(maps.Keys(c.vars)) {
		first, next := c.get(c.before, i), c.get(c.after, i)
		if first == nil || next == nil || c.astray[i] || c.known.strides[i] != nil {
			continue
		}
		second := c.known.turns[i]
		switch {
		case second == nil:
			second = c.turned(i)
		case c.inRounds(next, 0) != second || c.inRounds(next, 1) != first:
			c.astray[i], second = true, nil // once is enough, so that what is known of rounds settles
		}
		if second != nil {
			all[i] = second
		}
	}
	return all
}

// turned is what a slot may hold in odd rounds: what another holds in even ones, or what it makes a sum with that no round changes.
func (c *cut) turned(i int) *term.Term {
	first, now, next := c.get(c.before, i), c.get(c.start, i), c.get(c.after, i)
	if next == now {
		return nil
	}
	for _, j := range slices.Sorted(maps.Keys(c.vars)) {
		if j != i && c.get(c.start, j) == next && c.get(c.after, j) == now {
			return c.get(c.before, j)
		}
	}
	if sum := c.Add(next, now); first.Width() > 1 && !c.changes(sum, c.oldest) {
		return c.Sub(sum, first)
	}
	return nil
}

// inRounds is what a term is in all even rounds, or in all odd ones.
func (c *cut) inRounds(t *term.Term, odd uint64) *term.Term {
	round := c.round.Args()[0]
	two := c.Const(2, round.Width())
	if c.half == nil {
		c.half = c.UpTo(c.unique("half"), maxRound/2)
	}
	some := c.Add(c.Mul(c.fit(c.half, round.Width(), false), two), c.Const(odd, round.Width()))
	return c.Rename(func(v *term.Term) *term.Term {
		if v == round {
			return some
		}
		return v
	}).Term(t)
}

// taking is what a slot that takes turns holds in any round.
func (c *cut) taking(first, second *term.Term) *term.Term {
	return c.Ite(c.Extract(c.round, 0, 1), second, first)
}

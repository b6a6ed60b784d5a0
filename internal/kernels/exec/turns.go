package exec

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Registers and cells that take turns hold one value in even iterations and another in odd ones:
// two pointers that swap the arrays which a kernel reads from and writes to, or the number of a
// buffer, 1 - p after p. Like a stride, that is found by executing an iteration: the iteration
// after the first has the other value, and the one after that the first again.

// turns returns what slots that take turns hold in odd rounds.
func (c *slots) turns() map[int]*term.Term {
	all := map[int]*term.Term{}
	if c.cut.after == nil {
		return all
	}
	for _, i := range slices.Sorted(maps.Keys(c.vars)) {
		first, next := c.get(c.cut.before, i), c.get(c.cut.after, i)
		if first == nil || next == nil || c.astray[i] || c.cut.known.strides[i] != nil {
			continue
		}
		second := c.cut.known.turns[i]
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

// turned returns what a slot may hold in odd rounds: what another holds in even ones, or what it
// makes a sum with that no round changes.
func (c *slots) turned(i int) *term.Term {
	first, now, next := c.get(c.cut.before, i), c.get(c.cut.start, i), c.get(c.cut.after, i)
	if next == now {
		return nil
	}
	for _, j := range slices.Sorted(maps.Keys(c.vars)) {
		if j != i && c.get(c.cut.start, j) == next && c.get(c.cut.after, j) == now {
			return c.get(c.cut.before, j)
		}
	}
	if sum := c.terms.Add(next, now); first.Width() > 1 && !c.cut.run.loops.changes(sum, c.cut.begun.oldest) {
		return c.terms.Sub(sum, first)
	}
	return nil
}

// inRounds returns what a term is in all even rounds, or in all odd ones.
func (c *slots) inRounds(t *term.Term, odd uint64) *term.Term {
	b := c.terms
	round := trace.Variable(c.cut.round)
	two := b.Const(2, round.Width())
	if c.half == nil {
		c.half = b.UpTo(c.cut.run.rec.Unique("half"), maxRound/2)
	}
	some := b.Add(b.Mul(fit(b, c.half, round.Width(), false), two), b.Const(odd, round.Width()))
	return b.Rename(func(v *term.Term) *term.Term {
		if v == round {
			return some
		}
		return v
	}).Term(t)
}

// taking returns what a slot that takes turns holds in any round.
func (c *slots) taking(first, second *term.Term) *term.Term {
	return c.terms.Ite(c.terms.Extract(c.cut.round, 0, 1), second, first)
}

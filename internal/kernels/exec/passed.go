package exec

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// How many barriers a thread passes in a round of a loop that is cut may be another number in each
// round: because a loop within it has barriers, or because they are in some rounds only. All
// threads that meet in a round pass as many (meeting.go). So what they have passed before a
// round is the sum of two numbers: the barriers that each round is sure to have, and a function of
// the round. About that function it is known that it is 0 at first, that it never shrinks, and what
// a round adds to it.

// maxPassed is how many barriers are taken to be passed at most, beyond those that are sure.
const maxPassed = 1 << 62

// passed is how many barriers of a scope that order a memory a round has.
type passed struct {
	least  uint64
	varies bool // in some rounds it has more
	as     int  // the number of this variation: equal ones have equal numbers
}

// meetings is how often threads meet in a round, by what their barriers order.
type meetings [trace.Memories][trace.Grid + 1]passed

// meetings returns how often threads meet in a round.
func (c *convoy) meetings() (all meetings) {
	like := map[*term.Term]int{}
	for k := range all {
		for i := range all[k] {
			n := c.passes(k, i)
			least, _ := n.Range()
			if _, ok := n.Value(); ok {
				all[k][i].least = least
				continue
			}
			if c.cut.run.loops.differs(n, c.cut.known.scope) {
				c.cut.refuse("barriers that all threads pass equally often in a round", "a loop whose rounds are not known, in which threads may pass different numbers of barriers")
			}
			if _, known := like[n]; !known {
				like[n] = len(like)
			}
			all[k][i] = passed{least, true, like[n]}
		}
	}
	return all
}

// passes returns how many barriers of a scope that order a memory a round has.
func (c *convoy) passes(k, i int) *term.Term {
	return c.atEnd(trace.Grown(c.terms, c.cut.after.epoch[k][i], c.cut.start.epoch[k][i]))
}

// atEnd returns what a term is when loops within this one have ended, in which threads meet.
func (c *convoy) atEnd(t *term.Term) *term.Term {
	return c.terms.Rename(func(v *term.Term) *term.Term {
		if last := c.cut.run.loops.lasts[v]; last != nil {
			return last
		}
		return v
	}).Term(t)
}

// unsure returns how many barriers have been passed when a round begins, beyond those that are
// sure.
func (c *convoy) unsure(known passed, round *term.Term) *term.Term {
	if !known.varies {
		return c.terms.Const(0, 64)
	}
	return c.together(fmt.Sprintf("%s:passed%d", trace.Variable(c.cut.round).Name(), known.as), 64, c.cut.known.scope, round)
}

// varying returns how often threads meet where that varies.
func (c *convoy) varying() (all []passed) {
	for _, scopes := range c.cut.known.meeting {
		for _, known := range scopes {
			if known.varies {
				all = append(all, known)
			}
		}
	}
	return all
}

// starts takes none to have been passed when the loop begins, and not too many ever.
func (c *convoy) starts() {
	b := c.terms
	for _, known := range c.varying() {
		n := c.unsure(known, c.cut.round)
		none := b.Implies(b.Eq(c.cut.round, b.Const(0, 64)), b.Eq(n, b.Const(0, 64)))
		c.cut.run.rec.Know(b.Implies(c.cut.run.guards.Term(c.cut.before.guard), b.And(none, b.ULe(n, b.Const(maxPassed, 64)))))
	}
}

// passings returns how many barriers are passed before a round and in one; nil if each round has
// the same number.
func (c *convoy) passings() *trace.Passing {
	if len(c.varying()) == 0 {
		return nil
	}
	c.cut.run.note(assume.FewPassed.Of())
	p := &trace.Passing{Before: c.cut.start.epoch}
	for k := range p.Round {
		for i := range p.Round[k] {
			p.Round[k][i] = c.passes(k, i)
		}
	}
	return p
}

package exec

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// The number of barriers that a thread passes in an iteration of a cut loop may vary: because an
// inner loop has barriers, or because barriers are in some iterations only. All threads that meet
// in an iteration pass the same number (meeting.go). So the number of barriers before an iteration
// is a sum: the barriers that each iteration certainly has, plus a function of the iteration. That
// function is 0 at first, never decreases, and grows by a known amount in an iteration.

// maxPassed bounds the barriers that are passed beyond those that are certain.
const maxPassed = 1 << 62

// passed is the number of barriers of a scope in an iteration that order a memory.
type passed struct {
	least  uint64
	varies bool // in some rounds it has more
	as     int  // the number of this variation: equal ones have equal numbers
}

// meetings are the numbers of barriers in an iteration at which threads meet, by memory and scope.
type meetings [trace.Memories][trace.Grid + 1]passed

// meetings returns the numbers of barriers in an iteration at which threads meet.
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

// passes returns the number of barriers of a scope in an iteration that order a memory.
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

// unsure returns the number of barriers that have been passed when an iteration begins, beyond
// those that are certain.
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

// starts assumes that the number of passed barriers is 0 when the loop begins, and bounded.
func (c *convoy) starts() {
	b := c.terms
	for _, known := range c.varying() {
		n := c.unsure(known, c.cut.round)
		none := b.Implies(b.Eq(c.cut.round, b.Const(0, 64)), b.Eq(n, b.Const(0, 64)))
		c.cut.run.rec.Know(b.Implies(c.cut.run.guards.Term(c.cut.before.guard), b.And(none, b.ULe(n, b.Const(maxPassed, 64)))))
	}
}

// passings returns the number of barriers that are passed before an iteration and in one, or nil if
// each iteration has the same number.
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

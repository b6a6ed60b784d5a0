package exec

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
)

// Threads may come to barriers of some of the threads of their block in a loop that is cut, each in
// rounds of its own: a producer may be ahead of those who consume. How often a thread has been at
// such barriers is then counted from where it last began to: from the begin of the kernel, of the
// round, or from the end of the loop.

// arrives reports whether threads come to barriers of some threads of the block in a round, which
// is then where they count from.
func (c *cut) arrives() bool {
	if len(trace.Since[*trace.Arrival](c.run.rec, c.begun.mark)) == 0 {
		return false
	}
	if met, scope := c.convoy.met(); met && scope >= trace.Block {
		c.refuse("a size for which the loop ends after a number of rounds that is known (--param)",
			"barriers of some of the threads of a block, and of all of them, in a loop whose rounds are not known are not modelled")
	}
	return true
}

// counts has a thread count its arrivals from here.
func (c *cut) counts(s *state, after bool) {
	if c.known.arrives {
		s.arrived = c.terms.Const(trace.Stretch{Pipeline: c.begun.pipelines, After: after}.Begin(), 64)
	}
}

// pipeline notes the loop as one.
func (c *cut) pipeline() {
	if !c.known.arrives {
		return
	}
	c.run.at = c.fr.head(c.loop)
	end := len(c.run.rec.Trace.Arrivals)
	p := &trace.Pipeline{Point: c.run.point(c.before, c.terms.Bool(true)), Round: c.round, Again: c.terms.Bool(false), First: end - len(trace.Since[*trace.Arrival](c.run.rec, c.begun.mark)), End: end}
	if c.after != nil {
		p.Again = c.run.guards.Term(c.after.guard)
	}
	c.run.rec.Append(p)
}

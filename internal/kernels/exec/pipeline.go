package exec

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
)

// In a cut loop, threads may reach barriers for some of the threads of their block, each in
// iterations of its own: a producer may be ahead of its consumers. The thread's number of such
// barriers is then counted from the latest of these points: the begin of the kernel, the begin of
// the iteration, or the end of the loop.

// arrives reports whether threads reach barriers for some threads of the block in an iteration. If
// so, counting starts at the iteration.
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

// counts makes a thread count its arrivals from here.
func (c *cut) counts(s *state, after bool) {
	if c.known.arrives {
		s.arrived = c.terms.Const(trace.Stretch{Pipeline: c.begun.pipelines, After: after}.Begin(), 64)
	}
}

// pipeline records the loop as a pipeline.
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

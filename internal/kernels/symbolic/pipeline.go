package symbolic

import "github.com/muster-gpu/muster/internal/solver/term"

// Threads may come to barriers of some of the threads of their block in a loop that is cut, each in rounds of its own: a producer may be ahead of
// those who consume. How often a thread has been at such barriers is then counted from where it last began to: from the begin of the kernel, of the
// round, or from the end of the loop.

// Pipeline is a loop that is cut in which threads come to barriers of some of the threads of their block.
type Pipeline struct {
	Point                 // a thread in any round
	Round      *term.Term // which round it is in; after the loop, which was the last
	Again      *term.Term // it begins another round after this one
	First, End int        // the arrivals in it are those of the trace from the first to before the end
}

// Stretch is where a thread counts its arrivals from.
type Stretch struct {
	Pipeline int // the pipeline that it is in, or was in last; -1 for none
	After    bool
}

// stretch is how many arrivals a thread can count in one.
const stretch = 1 << 32

// begin is what Access.Arrived is where the stretch begins.
func (s Stretch) begin() uint64 {
	n := uint64(2*s.Pipeline + 1)
	if s.After {
		n++
	}
	return n * stretch
}

// Arrivals is where a thread has counted its arrivals from, and how many there were, as Access.Arrived says.
func Arrivals(arrived uint64) (s Stretch, n int) {
	k := int(arrived / stretch)
	return Stretch{(k+1)/2 - 1, k > 0 && k%2 == 0}, int(arrived % stretch)
}

// arrives reports that threads come to barriers of some threads of the block in a round, which is then where they count from.
func (c *cut) arrives() bool {
	if len(since[*Arrival](c.run.rec, c.begun.mark)) == 0 {
		return false
	}
	if met, scope := c.convoy.met(); met && scope >= Block {
		c.refuse("a size for which the loop ends after a number of rounds that is known (--param)",
			"barriers of some of the threads of a block, and of all of them, in a loop whose rounds are not known are not modelled")
	}
	return true
}

// counts has a thread count its arrivals from here.
func (c *cut) counts(s *state, after bool) {
	if c.known.arrives {
		s.arrived = c.terms.Const(Stretch{c.begun.pipelines, after}.begin(), 64)
	}
}

// pipeline notes the loop as one.
func (c *cut) pipeline() {
	if !c.known.arrives {
		return
	}
	c.run.at = c.fr.head(c.loop)
	end := len(c.run.rec.trace.Arrivals)
	p := &Pipeline{Point: c.run.point(c.before, c.terms.Bool(true)), Round: c.round, Again: c.terms.Bool(false), First: end - len(since[*Arrival](c.run.rec, c.begun.mark)), End: end}
	if c.after != nil {
		p.Again = c.run.guards.Term(c.after.guard)
	}
	c.run.rec.Append(p)
}

package ask

import (
	"slices"

	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// boxes are bounds for the sizes of a block under which it has no more than 1024 threads.
var boxes = [][3]int{{8, 8, 8}, {1024, 1, 1}, {32, 32, 1}}

// fits reports that a block has no more threads than it can have.
func (a *Asker) fits(m *term.Model) bool { return m.Eval(a.trace.Fits) == 1 }

// boxed is a model of conditions with a block that fits, and these conditions with bounds for its sizes; nil if none is found,
// or any block fits. That sizes are not too large together is a product, which is hard for the solver.
func (a *Asker) boxed(conditions []*term.Term) (within []*term.Term, m *term.Model) {
	if a.trace.Fits.True() {
		return nil, nil
	}
	for _, box := range boxes {
		within = slices.Clone(conditions)
		for i, size := range a.trace.Shape.Threads {
			within = append(within, a.prover.ULe(size, a.prover.Const(uint64(box[i]), 32)))
		}
		if answer := a.prover.Check(a.config.Budget/10, within...); answer.Result == sat.Sat && a.fits(answer.Model) {
			return within, answer.Model
		}
	}
	return nil, nil
}

// fitting asks a question again whose answer was a block that does not fit.
func (a *Asker) fitting(x *Question, c *Conjunction) prove.Answer {
	if _, m := a.boxed(c.all); m != nil {
		return prove.Answer{Result: sat.Sat, Model: m}
	}
	c.Add(a.trace.Fits)
	return a.check(x, c.all)
}

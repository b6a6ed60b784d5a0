package ask

import (
	"slices"

	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// boxes bound the sizes of a block so that it has no more than 1024 threads.
var boxes = [][3]int{{8, 8, 8}, {1024, 1, 1}, {32, 32, 1}}

// fits reports whether the block of a model has no more threads than a block can have.
func (q *inquiry) fits(m *term.Model) bool { return m.Eval(q.a.trace.Fits) == 1 }

// boxed returns a model whose block fits, and the conditions with bounds for its sizes. It returns
// nil if it finds none, or if any block fits. The limit on the product of the sizes is hard for the
// solver.
func (q *inquiry) boxed(conditions []*term.Term) (within []*term.Term, m *term.Model) {
	if q.a.trace.Fits.True() {
		return nil, nil
	}
	for _, box := range boxes {
		within = slices.Clone(conditions)
		for i, size := range q.a.trace.Shape.Threads {
			within = append(within, q.a.prover.ULe(size, q.a.prover.Const(uint64(box[i]), 32)))
		}
		if answer := q.a.prover.Check(q.a.Config.Budget/10, within...); answer.Result == sat.Sat && q.fits(answer.Model) {
			return within, answer.Model
		}
	}
	return nil, nil
}

// fitting asks a question again whose answer was a block that does not fit.
func (q *inquiry) fitting() prove.Answer {
	if _, m := q.boxed(q.c.all); m != nil {
		return prove.Answer{Result: sat.Sat, Model: m}
	}
	q.c.Add(q.a.trace.Fits)
	return q.check(q.c.all)
}

package sim

import (
	"cmp"
	"math/bits"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/sampling"
)

// Of structures for which the learning engine does not know enough, such as sums whose values nobody can list, candidates are drawn.

// mostDrawn is of how many structures.
const mostDrawn = 8

// miss is a candidate that has been drawn.
type miss struct {
	values []event.Value // of what is observed
	rejected
}

// draw draws candidates, unless that has been done.
func (f *finder) draw() (err error) {
	if f.drawn || len(f.alone) == 0 {
		return nil
	}
	f.drawn = true
	q, left := f.Test.wanted(), mostDrawn
	all := sampling.New(bounds.NewProgram(f.plan), &sampling.Query{
		Observe: q.observe, Keep: q.keep, Asks: q.asks, Guards: f.guards(off{own: f.all(), basics: true}),
		Visit: func(values []event.Value, _ int, w *engine.Witness) bool {
			r, failure := f.rejected(witness(f.model, f.plan, w))
			f.misses, err = append(f.misses, miss{values, r}), cmp.Or(err, failure)
			return true
		},
	})
	for s, failure := range f.structures() {
		if failure != nil || left == 0 {
			break
		}
		if f.alone[s.i] {
			left--
			_, failure = all.Explore(engine.NewBudget(f.ctx.Err), s.Structure)
			err = cmp.Or(err, failure)
		}
	}
	return err
}

// passes reports that a miss passes with checks off, and which axiom it is forgiven then, counted from 1.
func (m *miss) passes(off off) (forgiven int, ok bool) {
	rest := m.by &^ off.own
	if rest != 0 && off.any {
		forgiven = bits.TrailingZeros64(uint64(rest)) + 1
		rest &= rest - 1
	}
	return forgiven, rest == 0 && (m.Likelihood == Likely || off.basics)
}

// addMisses adds the candidates that have been drawn, and that pass with checks off, to those that are wanted.
func (f *finder) addMisses(off off, x *samples) error {
	err := f.draw()
	for i := range f.misses {
		m := &f.misses[i]
		s := f.end(m.values)
		if forgiven, ok := m.passes(off); ok && !x.enough(s, forgiven) {
			x.add(s, sample{m.Witness, forgiven})
		}
	}
	return err
}

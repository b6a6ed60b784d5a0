package sim

import (
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/bounds"
)

// Of structures for which the learning engine does not know enough, such as sums whose values nobody can list, candidates are drawn.

// mostDrawn is of how many structures.
const mostDrawn = 8

// miss is a candidate that has been drawn.
type miss struct {
	axiomatic.Miss
	by     axioms // that reject it
	likely bool   // the basics do not
}

// draw draws candidates, unless that has been done.
func (f *finder) draw() {
	if f.drawn || len(f.alone) == 0 {
		return
	}
	f.drawn = true
	program, left := bounds.NewProgram(f.plan), mostDrawn
	for s, err := range f.structures() {
		if err != nil || left == 0 {
			return
		}
		if !f.alone[s.i] {
			continue
		}
		left--
		for _, m := range axiomatic.Misses(engine.NewBudget(f.ctx.Err), program, f.Test.learningQuery(), s.Structure) {
			f.misses = append(f.misses, f.missed(m))
		}
	}
}

// missed is a miss by the axioms of the model.
func (f *finder) missed(m axiomatic.Miss) miss {
	failing := func(c int) bool { return slices.Contains(m.Failing, c) }
	by := miss{Miss: m, likely: !slices.ContainsFunc(f.basics, failing)}
	for i, checks := range f.axioms {
		if slices.ContainsFunc(checks, failing) {
			by.by |= 1 << i
		}
	}
	return by
}

// passes reports that a miss passes with checks off, and which axiom it is forgiven then, counted from 1.
func (m *miss) passes(off off) (forgiven int, ok bool) {
	rest := m.by &^ off.own
	if rest != 0 && off.any {
		forgiven = bits.TrailingZeros64(uint64(rest)) + 1
		rest &= rest - 1
	}
	return forgiven, rest == 0 && (m.likely || off.basics)
}

// addMisses adds the candidates that have been drawn, and that pass with checks off, to those that are wanted.
func (f *finder) addMisses(off off, x *samples) {
	f.draw()
	for i := range f.misses {
		m := &f.misses[i]
		s := f.end(m.Values)
		if forgiven, ok := m.passes(off); ok && !x.enough(s, forgiven) {
			x.add(s, sample{witness(f.model, f.plan, m.Witness), forgiven})
		}
	}
}

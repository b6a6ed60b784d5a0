package sim

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/engine/plan"
)

// axioms is a set of axioms, by number.
type axioms uint64

// mostAxioms bounds the axioms of a model.
const mostAxioms = 64

func (s axioms) has(i int) bool { return s>>i&1 != 0 }
func (s axioms) size() int      { return bits.OnesCount64(uint64(s)) }

// subsets yields the subsets of a size.
func (s axioms) subsets(size int) iter.Seq[axioms] {
	return func(yield func(axioms) bool) { s.choose(size, 0, yield) }
}

func (s axioms) choose(size int, with axioms, yield func(axioms) bool) bool {
	if size == 0 {
		return yield(with)
	}
	for ; s.size() >= size; s &= s - 1 {
		if !(s & (s - 1)).choose(size-1, with|s&-s, yield) {
			return false
		}
	}
	return true
}

// may is the axioms that a candidate may violate.
type may struct {
	own    axioms // of the model's own
	one    bool   // any one more of them
	basics bool   // the basic axioms, which WithBasics adds
}

// guards returns the guards that allow violations of may. The group of a check is the number of its
// axiom, counted from 1.
func (f *finder) guards(may may) plan.Guards {
	g := make(plan.Guards, len(f.plan.Checks))
	for i, checks := range f.axioms {
		for _, c := range checks {
			switch {
			case may.own.has(i):
				g[c] = plan.Disabled
			case may.one:
				g[c] = plan.Guard(i + 1)
			}
		}
	}
	if may.basics {
		for _, c := range f.basics {
			g[c] = plan.Disabled
		}
	}
	return g
}

// name returns the name of the i-th axiom.
func (f *finder) name(i int) string { return f.plan.Checks[f.axioms[i][0]].Name }

// names returns the names of a set of axioms, in the order of the model.
func (f *finder) names(set axioms) (names []string) {
	for i := range f.axioms {
		if set.has(i) {
			names = append(names, f.name(i))
		}
	}
	return names
}

// named returns the axioms with these names.
func (f *finder) named(names ...string) (set axioms) {
	for i := range f.axioms {
		if slices.Contains(names, f.name(i)) {
			set |= 1 << i
		}
	}
	return set
}

// all returns the set of all axioms of the model.
func (f *finder) all() axioms { return ^axioms(0) >> (mostAxioms - len(f.axioms)) }

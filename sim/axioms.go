package sim

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/engine/plan"
)

// axioms is a set of axioms, by their numbers.
type axioms uint64

// mostAxioms is how many a set can have.
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

// may is which axioms a candidate may violate.
type may struct {
	own    axioms // of the model's own
	one    bool   // one more of them, whichever it is
	basics bool   // those that WithBasics adds
}

// guards returns the guards that let an axiom be violated that may be. The group of a check is the
// number of its axiom, counted from 1.
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

// name is that of the i-th axiom.
func (f *finder) name(i int) string { return f.plan.Checks[f.axioms[i][0]].Name }

// names are those of a set of axioms, in the order of the model.
func (f *finder) names(set axioms) (names []string) {
	for i := range f.axioms {
		if set.has(i) {
			names = append(names, f.name(i))
		}
	}
	return names
}

// named is the set of the axioms of these names.
func (f *finder) named(names ...string) (set axioms) {
	for i := range f.axioms {
		if slices.Contains(names, f.name(i)) {
			set |= 1 << i
		}
	}
	return set
}

// all is the set of all axioms of the model.
func (f *finder) all() axioms { return ^axioms(0) >> (mostAxioms - len(f.axioms)) }

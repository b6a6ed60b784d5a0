package sim

import (
	"iter"
	"math/bits"
	"slices"
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

// off is which checks are switched off: those of some axioms of the model's own, and perhaps the basics.
type off struct {
	own    axioms
	basics bool
	any    bool // and those of any other axiom, of one at a time
}

// within reports that what passes with these off passes with the others off.
func (o off) within(other off) bool {
	more := o.own &^ other.own
	enough := more == 0 && (!o.any || other.any) || more.size() == 1 && other.any && !o.any
	return enough && (other.basics || !o.basics)
}

// name is that of the i-th axiom.
func (f *finder) name(i int) string { return f.plan.Checks[f.axioms[i][0]].Name }

// names is those of a set of axioms, in the order of the model.
func (f *finder) names(set axioms) (names []string) {
	for i := range f.axioms {
		if set.has(i) {
			names = append(names, f.name(i))
		}
	}
	return names
}

// named is the set of the axioms of these names.
func (f *finder) named(names []string) (set axioms) {
	for i := range f.axioms {
		if slices.Contains(names, f.name(i)) {
			set |= 1 << i
		}
	}
	return set
}

// all is the set of all axioms of the model.
func (f *finder) all() axioms { return ^axioms(0) >> (mostAxioms - len(f.axioms)) }

package sat

import "slices"

// Probe assumes literals one after the other and reports what propagation derives, without a
// search.
type Probe struct{ s *Solver }

// Probe calls look with a Probe. No clause may be added meanwhile.
func (s *Solver) Probe(look func(p Probe)) {
	s.backTo(0)
	phase := slices.Clone(s.phase)
	look(Probe{s})
	s.backTo(0)
	copy(s.phase, phase)
}

// Assume assumes a literal in addition to the earlier ones. It returns false on a contradiction;
// the literal must then be dropped before the next one.
func (p Probe) Assume(l Lit) bool {
	s := p.s
	s.limits = append(s.limits, len(s.trail))
	switch s.values[l] {
	case right:
		return !s.failed
	case wrong:
		return false
	}
	s.set(l, nil)
	return s.propagate() == nil
}

// Drop drops the latest assumed literal.
func (p Probe) Drop() { p.s.backTo(len(p.s.limits) - 1) }

// DropAll drops all assumed literals.
func (p Probe) DropAll() { p.s.backTo(0) }

// Size returns the number of literals that hold.
func (p Probe) Size() int { return len(p.s.trail) }

// Holds reports whether a literal has been derived.
func (p Probe) Holds(l Lit) bool { return p.s.values[l] == right }

// Follows returns the latest assumed literal and the literals derived from it.
func (p Probe) Follows() []Lit { return p.s.trail[p.s.limits[len(p.s.limits)-1]:] }

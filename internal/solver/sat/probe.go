package sat

import "slices"

// Probe is literals that are assumed one after the other, with what follows from them without a
// search.
type Probe struct{ s *Solver }

// Probe has somebody look at what follows from literals. No clause may be added meanwhile.
func (s *Solver) Probe(look func(p Probe)) {
	s.backTo(0)
	phase := slices.Clone(s.phase)
	look(Probe{s})
	s.backTo(0)
	copy(s.phase, phase)
}

// Assume assumes a literal, besides those that are assumed already, until it is dropped. It returns
// false if they contradict each other; then it is the last until it is dropped.
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

// Drop drops the last literal that is assumed.
func (p Probe) Drop() { p.s.backTo(len(p.s.limits) - 1) }

// DropAll drops all literals that are assumed.
func (p Probe) DropAll() { p.s.backTo(0) }

// Size returns how many literals hold.
func (p Probe) Size() int { return len(p.s.trail) }

// Holds reports whether a literal follows.
func (p Probe) Holds(l Lit) bool { return p.s.values[l] == right }

// Follows returns the last literal that is assumed, and what follows from it beside those before.
func (p Probe) Follows() []Lit { return p.s.trail[p.s.limits[len(p.s.limits)-1]:] }

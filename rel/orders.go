package rel

import "iter"

// The searches for orders ask at each step whether to stop: there can be many steps between two
// orders, and each step allocates a relation. A sequence that was stopped ends early.

// Linearisations yields every total order on s that contains the pairs of r between its elements;
// none if r is cyclic there. Each is transitive. The sequence tries smaller events first.
func (r Rel) Linearisations(s Set, stop func() bool) iter.Seq[Rel] {
	return func(yield func(Rel) bool) {
		inner := r.Restrict(s, s)
		if !inner.Acyclic() {
			return
		}
		order := make([]int, 0, s.Len())
		left := s.Clone()
		var place func() bool
		place = func() bool {
			if stop() {
				return false
			}
			if left.Empty() {
				return yield(chain(r.n, order))
			}
			for e := range left.Clone().All() {
				if hasPredecessorIn(inner, e, left) {
					continue
				}
				left.Remove(e)
				order = append(order, e)
				more := place()
				order = order[:len(order)-1]
				left.Add(e)
				if !more {
					return false
				}
			}
			return true
		}
		place()
	}
}

// chain returns the total order in which the events are listed.
func chain(n int, order []int) Rel {
	r := New(n)
	for i, a := range order {
		for _, b := range order[i+1:] {
			r.Add(a, b)
		}
	}
	return r
}

func hasPredecessorIn(r Rel, e int, s Set) bool {
	for a := range s.All() {
		if r.Has(a, e) {
			return true
		}
	}
	return false
}

// Orientations yields every relation that has exactly one direction of each pair of different
// events that r relates, in whichever direction r relates them. It need not be acyclic.
func (r Rel) Orientations(stop func() bool) iter.Seq[Rel] {
	return func(yield func(Rel) bool) {
		var pairs [][2]int
		for a := range r.n {
			for b := a + 1; b < r.n; b++ {
				if r.Has(a, b) || r.Has(b, a) {
					pairs = append(pairs, [2]int{a, b})
				}
			}
		}
		chosen := New(r.n)
		var orient func(i int) bool
		orient = func(i int) bool {
			if stop() {
				return false
			}
			if i == len(pairs) {
				return yield(chosen.Clone())
			}
			for _, p := range [][2]int{pairs[i], {pairs[i][1], pairs[i][0]}} {
				chosen.Add(p[0], p[1])
				more := orient(i + 1)
				chosen.Remove(p[0], p[1])
				if !more {
					return false
				}
			}
			return true
		}
		orient(0)
	}
}

// PartialOrders yields every transitive, irreflexive relation that contains the mandatory pairs and
// otherwise relates only pairs of r; none if there is no such relation.
func PartialOrders(r, mandatory Rel, stop func() bool) iter.Seq[Rel] {
	return func(yield func(Rel) bool) {
		must := mandatory.Plus()
		may := r.Union(must)
		var free [][2]int
		for a, b := range may.Pairs() {
			if a != b && !must.Has(a, b) {
				free = append(free, [2]int{a, b})
			}
		}
		// Each step decides one pair: it is in the order, or out of it for good.
		var decide func(i int, in, out Rel) bool
		decide = func(i int, in, out Rel) bool {
			if stop() {
				return false
			}
			if !in.Irreflexive() || !in.SubsetOf(may) || !in.Inter(out).Empty() {
				return true
			}
			for i < len(free) && in.Has(free[i][0], free[i][1]) {
				i++
			}
			if i == len(free) {
				return yield(in)
			}
			without := out.Clone()
			without.Add(free[i][0], free[i][1])
			return decide(i+1, in, without) && decide(i+1, in.with(free[i][0], free[i][1]), out)
		}
		decide(0, must, New(r.n))
	}
}

// Completions yields every smallest strict partial order that contains the mandatory pairs and
// relates each pair of different events of r one way or the other: the closure of mandatory and a
// choice of directions. It yields none if mandatory is cyclic.
func Completions(r, mandatory Rel, stop func() bool) iter.Seq[Rel] {
	return func(yield func(Rel) bool) {
		var pairs [][2]int
		for a := range r.n {
			for b := a + 1; b < r.n; b++ {
				if r.Has(a, b) || r.Has(b, a) {
					pairs = append(pairs, [2]int{a, b})
				}
			}
		}
		// Orders that differ in the direction of a pair are different, so none occurs twice.
		var decide func(i int, order Rel) bool
		decide = func(i int, order Rel) bool {
			if stop() {
				return false
			}
			for i < len(pairs) && (order.Has(pairs[i][0], pairs[i][1]) || order.Has(pairs[i][1], pairs[i][0])) {
				i++
			}
			if i == len(pairs) {
				return yield(order)
			}
			a, b := pairs[i][0], pairs[i][1]
			return decide(i+1, order.with(a, b)) && decide(i+1, order.with(b, a))
		}
		if must := mandatory.Plus(); must.Irreflexive() {
			decide(0, must)
		}
	}
}

// with returns the smallest transitive relation that contains r, which is transitive, and the pair
// (a, b).
func (r Rel) with(a, b int) Rel {
	s := r.Clone()
	before, after := r.Inverse().Row(a).Clone(), r.Row(b).Clone()
	before.Add(a)
	after.Add(b)
	for x := range before.All() {
		for y := range after.All() {
			s.Add(x, y)
		}
	}
	return s
}

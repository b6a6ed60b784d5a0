package verify

import (
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A strong load, such as one that is volatile, races with no strong write. If none of another thread can meet it between two
// barriers, it gets what the array held at the first of them, as a weak load does. So that is assumed at first,
// and asked then; what the first two accesses to meet get is as assumed, so if any meet, they are found.

// restless are arrays of which it was assumed that no strong load meets a write, and which is not known.
func (q *questions) restless() (names []string) {
	for _, e := range q.calm() {
		if q.meets(e) {
			names = append(names, e.array.Name)
		}
	}
	return names
}

// encounters are the accesses to an array that may meet.
type encounters struct {
	array         *symbolic.Region
	loads, writes []*symbolic.Access
}

// calm are the arrays of which that was assumed, and that have strong loads.
func (q *questions) calm() (all []*encounters) {
	of := map[*symbolic.Region]*encounters{}
	seen := map[string]bool{}
	for _, a := range q.trace.Accesses {
		key := q.sameness(a)
		if q.setup.writes[a.Region.Name] != symbolic.Calm || seen[key] {
			continue
		}
		seen[key] = true
		e := of[a.Region]
		if e == nil {
			e = &encounters{array: a.Region}
			of[a.Region] = e
			all = append(all, e)
		}
		switch {
		case a.Kind != symbolic.Load:
			e.writes = append(e.writes, a)
		case a.Strong != isa.NoScope:
			e.loads = append(e.loads, a)
		}
	}
	return all
}

// meets reports that a load may meet a write of another thread, as far as it is known.
func (q *questions) meets(e *encounters) bool {
	if len(e.loads)*len(e.writes) > searchPairs {
		return true
	}
	if len(e.loads) > 0 {
		q.settle()
	}
	for _, a := range e.loads {
		for _, b := range e.writes {
			for _, s := range q.seconds(true) {
				if q.encounter(a, b, s) {
					return true
				}
			}
		}
	}
	return false
}

// encounter reports that two accesses may touch a byte in common with no barrier in between.
func (q *questions) encounter(a, b *symbolic.Access, s *second) bool {
	if s.far && a.Region.Space == isa.Shared {
		return false
	}
	x := &question{name: "calm", second: s, first: &a.Point, other: &b.Point}
	if x.more = append(x.more, q.together(a, b, s)); x.more[0].False() {
		return false
	}
	x.more = append(x.more, q.overlap(a, b, s))
	_, result := q.possible(x, guessBudget)
	return result != sat.Unsat
}

package viz

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// above relates each event of a column to the next, the events before an asynchronous operation is
// issued to the operation, and the operation to the events that wait for it.
func (g *Graph) above() rel.Rel {
	r, drawn := rel.New(g.x.N()), rel.NewSet(g.x.N())
	for _, c := range g.columns {
		for i, e := range c.events {
			drawn.Add(e)
			if i > 0 {
				r.Add(c.events[i-1], e)
			}
		}
	}
	r.AddAll(relationOf(g.x, "issue").Union(relationOf(g.x, "complete")).Restrict(drawn, drawn))
	return r
}

// chooseRows places each event in the highest possible row, below the events above it. The events
// of a tier share a row in which the columns of the meeting and those in between have no other
// events.
func (g *Graph) chooseRows(above rel.Rel) map[event.ID]int {
	s := &stack{over: above.Inverse(), free: make([]int, len(g.columns)), rows: map[event.ID]int{}}
	for waiting := g.layers(); len(waiting) > 0; {
		ready := slices.DeleteFunc(slices.Clone(waiting), func(l *layer) bool { return !s.bears(l) })
		waiting = slices.DeleteFunc(waiting, s.bears)
		for _, l := range ready {
			s.put(l)
		}
	}
	return s.rows
}

// layer is events that occupy a row of some columns.
type layer struct {
	tier
	first, last int
}

// layers returns the tiers of the meetings, and every other event as a layer of its own.
func (g *Graph) layers() (all []*layer) {
	met := rel.NewSet(g.x.N())
	for _, m := range g.meetings {
		for _, t := range m.tiers {
			all = append(all, &layer{t, m.first, m.last})
			for _, e := range t {
				met.Add(e)
			}
		}
	}
	for c, col := range g.columns {
		for _, e := range col.events {
			if !met.Has(e) {
				all = append(all, &layer{tier{e}, c, c})
			}
		}
	}
	return all
}

// stack is columns that are filled from the top.
type stack struct {
	over rel.Rel          // from each event to the events that must be above it
	free []int            // first free row of each column
	rows map[event.ID]int // rows of the placed events
}

// bears reports whether all events that must be above a layer have been placed.
func (s *stack) bears(l *layer) bool {
	return !slices.ContainsFunc(l.tier, func(e event.ID) bool {
		for o := range s.over.Row(e).All() {
			if _, ok := s.rows[o]; !ok {
				return true
			}
		}
		return false
	})
}

// put places a layer.
func (s *stack) put(l *layer) {
	row := slices.Max(s.free[l.first : l.last+1])
	for _, e := range l.tier {
		for o := range s.over.Row(e).All() {
			row = max(row, s.rows[o]+1)
		}
	}
	for _, e := range l.tier {
		s.rows[e] = row
	}
	for c := l.first; c <= l.last; c++ {
		s.free[c] = row + 1
	}
}

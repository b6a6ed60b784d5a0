package viz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// meets is the relation that meetings stand for: who hides it hides them, and what of it is no
// meeting is drawn as arrows.
const meets = "syncbar"

// meeting is a round of a barrier: the events of the threads that meet in it. It is drawn as a band
// behind them, in place of arrows from each that arrives to each other that waits.
type meeting struct {
	barrier     string
	round       int    // from 1; 0 if the picture has one round of the barrier
	tiers       []tier // arrivals, and below them the waits of those that have arrived before
	first, last int    // columns
}

// tier is events that lie level, from left to right.
type tier []event.ID

func (m *meeting) events() []event.ID { return slices.Concat(m.tiers...) }

// title returns what the picture calls the meeting.
func (m *meeting) title() string {
	if m.round == 0 {
		return m.barrier
	}
	return fmt.Sprintf("%s, round %d", m.barrier, m.round)
}

// who returns the names of the events that meet.
func (g *Graph) who(m *meeting) string {
	var names []string
	for _, e := range slices.Sorted(slices.Values(m.events())) {
		names = append(names, g.names[e])
	}
	return strings.Join(names, " ")
}

// chooseMeetings finds the meetings whose tiers can lie level, each together with those before it,
// and adds to above that their waits come below their arrivals. Threads that arrive at two barriers
// in different orders, without waiting, may cross.
func (g *Graph) chooseMeetings(above rel.Rel) (all []*meeting) {
	level := rel.Identity(rel.Universe(g.x.N()))
	for _, m := range g.rounds() {
		order, with := above.Clone(), level.Clone()
		for i, t := range m.tiers {
			with.AddAll(rel.Product(g.set(t), g.set(t)))
			if i > 0 {
				order.AddAll(rel.Product(g.set(m.tiers[i-1]), g.set(t)))
			}
		}
		if order.Compose(with).Acyclic() {
			above.AddAll(order)
			level, all = with, append(all, m)
		}
	}
	return all
}

func (g *Graph) set(events []event.ID) rel.Set { return rel.NewSet(g.x.N(), events...) }

// rounds returns the rounds of barriers: events that are connected because one waits for another.
// Those that one arrow tells are left out.
func (g *Graph) rounds() (all []*meeting) {
	awaited := relationOf(g.x, "awaited")
	connected := awaited.Union(awaited.Inverse()).Plus()
	arrivals, arrows := awaited.Domain(), betweenThreads(g.x, awaited)
	for e := range g.x.Events {
		round := connected.Row(e)
		isFirst := !round.Empty() && round.Elems()[0] == e
		if isFirst && arrows.Restrict(round, round).Len() > 1 {
			m := &meeting{barrier: g.x.Events[e].Barrier, first: len(g.columns)}
			g.addTier(m, round.Inter(arrivals))
			g.addTier(m, round.Diff(arrivals))
			all = append(all, m)
		}
	}
	return all
}

// addTier adds some events to a meeting, if there are any.
func (g *Graph) addTier(m *meeting, of rel.Set) {
	var t tier
	for c, col := range g.columns {
		for _, e := range col.events {
			if of.Has(e) {
				t = append(t, e)
				m.first, m.last = min(m.first, c), max(m.last, c)
			}
		}
	}
	if len(t) > 0 {
		m.tiers = append(m.tiers, t)
	}
}

// numberRounds sorts meetings from top to bottom, and counts those of barriers that threads come
// back to.
func (g *Graph) numberRounds() {
	slices.SortStableFunc(g.meetings, func(a, b *meeting) int {
		return cmp.Compare(g.rows[a.tiers[0][0]], g.rows[b.tiers[0][0]])
	})
	for i, m := range g.meetings {
		for _, before := range g.meetings[:i] {
			if before.barrier == m.barrier && g.shareThread(before, m) {
				before.round = max(1, before.round)
				m.round = before.round + 1
			}
		}
	}
}

// shareThread reports whether a thread is at both meetings.
func (g *Graph) shareThread(a, b *meeting) bool {
	threads := rel.NewSet(len(g.x.Threads))
	for _, e := range a.events() {
		threads.Add(g.x.Events[e].Thread)
	}
	return slices.ContainsFunc(b.events(), func(e event.ID) bool { return threads.Has(g.x.Events[e].Thread) })
}

// isBand reports whether a band says what an edge would.
func (g *Graph) isBand(e Edge) bool {
	return e.Label == meets && !e.Highlight && slices.ContainsFunc(g.meetings, func(m *meeting) bool {
		all := m.events()
		return slices.Contains(all, e.From) && slices.Contains(all, e.To)
	})
}

// meetsOthers is from the events of barriers to those of other threads that waited for them.
func meetsOthers(x *event.Execution) rel.Rel { return betweenThreads(x, relationOf(x, meets)) }

// betweenThreads returns the pairs of r whose events are of different threads.
func betweenThreads(x *event.Execution, r rel.Rel) rel.Rel {
	return rel.Where(x.N(), func(a, b int) bool { return r.Has(a, b) && x.Events[a].Thread != x.Events[b].Thread })
}

package viz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// meets is the relation that meetings represent: hiding it hides them, and its pairs that are in no
// meeting are drawn as arrows.
const meets = "syncbar"

// meeting is a round of a barrier: the events of the threads that meet in it. It is drawn as a band
// behind them, instead of arrows from each arrival to each wait of another thread.
type meeting struct {
	barrier     string
	round       int    // from 1; 0 if the picture has only one round of the barrier
	tiers       []tier // arrivals, and below them the waits of threads that have arrived before
	first, last int    // columns
}

// tier is events in one row, from left to right.
type tier []event.ID

func (m *meeting) events() []event.ID { return slices.Concat(m.tiers...) }

// title returns the meeting's name in the picture.
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

// chooseMeetings returns the meetings whose tiers can each be in one row, together with the earlier
// meetings, and adds to above that waits are below their arrivals. Threads that arrive at two
// barriers in different orders, without waiting, may make this impossible.
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

// rounds returns the rounds of barriers: events that are connected by waiting for each other.
// Rounds that a single arrow shows are left out.
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

// addTier adds events as a tier to a meeting, if there are any.
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

// numberRounds sorts meetings from top to bottom, and numbers those of a barrier that threads use
// repeatedly.
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

// shareThread reports whether a thread takes part in both meetings.
func (g *Graph) shareThread(a, b *meeting) bool {
	threads := rel.NewSet(len(g.x.Threads))
	for _, e := range a.events() {
		threads.Add(g.x.Events[e].Thread)
	}
	return slices.ContainsFunc(b.events(), func(e event.ID) bool { return threads.Has(g.x.Events[e].Thread) })
}

// isBand reports whether a band shows the edge.
func (g *Graph) isBand(e Edge) bool {
	return e.Label == meets && !e.Highlight && slices.ContainsFunc(g.meetings, func(m *meeting) bool {
		all := m.events()
		return slices.Contains(all, e.From) && slices.Contains(all, e.To)
	})
}

// meetsOthers returns the pairs of events of barriers and of other threads that waited for them.
func meetsOthers(x *event.Execution) rel.Rel { return betweenThreads(x, relationOf(x, meets)) }

// betweenThreads returns the pairs of r between different threads.
func betweenThreads(x *event.Execution, r rel.Rel) rel.Rel {
	return rel.Where(x.N(), func(a, b int) bool { return r.Has(a, b) && x.Events[a].Thread != x.Events[b].Thread })
}

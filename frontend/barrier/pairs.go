package barrier

import (
	"slices"

	"github.com/muster-gpu/muster/event"
)

// The relations of barriers.
const (
	Awaited = "awaited" // from each arrival that a round counts to each wait that it ends
	Syncbar = "syncbar" // those of Awaited whose arrival releases
)

// Pairs are the pairs of the relations "awaited" and "syncbar": the arrivals that waits at barriers
// waited for.
type Pairs struct{ Awaited, Syncbar []event.Pair }

// With returns the structure with the relations of barriers.
func (p Pairs) With(s *event.Structure) *event.Structure {
	return s.With(Syncbar, p.Syncbar).With(Awaited, p.Awaited)
}

// Meeting is one way in which threads meet.
type Meeting struct {
	rules  Rules
	tracks []Track
	rounds []meeting
}

// meeting is a complete round: the arrivals, and the waits. needs is the number of arrivals that
// are in time.
type meeting struct {
	arrivals, waiting []arrival
	needs             int
}

// complete returns the complete rounds in which threads wait.
func (s *simulation) complete() (rounds []meeting) {
	for _, r := range s.rounds {
		if !r.complete || len(r.waiting) == 0 {
			continue
		}
		needs := len(r.arrivals)
		if s.all[r.site].count > 0 {
			needs = min(needs, s.needs[r.site])
		}
		rounds = append(rounds, meeting{r.arrivals, r.waiting, needs})
	}
	return rounds
}

// Pairs yields the pairs of each way in which the rounds can complete, until yield returns false.
// Where more threads arrive than a round by turns needs, any of them may be those in time. first is
// the number of the first event of each thread.
func (m *Meeting) Pairs(first []event.ID, yield func(Pairs) bool) bool {
	var choose func(i int, pairs Pairs) bool
	choose = func(i int, pairs Pairs) bool {
		if i == len(m.rounds) {
			return yield(pairs)
		}
		r := &m.rounds[i]
		return subsets(r.arrivals, r.needs, func(sources []arrival) bool {
			return choose(i+1, m.with(pairs, first, sources, r.waiting))
		})
	}
	return choose(0, Pairs{})
}

// with returns pairs and those from the sources of a round to every thread that waits in it.
func (m *Meeting) with(pairs Pairs, first []event.ID, sources, waiting []arrival) Pairs {
	pairs.Awaited, pairs.Syncbar = slices.Clip(pairs.Awaited), slices.Clip(pairs.Syncbar)
	visit := func(a arrival) *Visit { return &m.tracks[a.thread].Visits[a.visit] }
	for _, to := range waiting {
		for _, from := range sources {
			pair := event.Pair{first[from.thread] + visit(from).Arrive, first[to.thread] + visit(to).Wait}
			pairs.Awaited = append(pairs.Awaited, pair)
			if visit(from).Releases && (m.rules.SelfPairs || from.thread != to.thread) {
				pairs.Syncbar = append(pairs.Syncbar, pair)
			}
		}
	}
	return pairs
}

// subsets calls f with each choice of n items, until f returns false.
func subsets(items []arrival, n int, f func([]arrival) bool) bool {
	var choose func(from int, chosen []arrival) bool
	choose = func(from int, chosen []arrival) bool {
		if len(chosen) == n {
			return f(chosen)
		}
		for i := from; i <= len(items)-(n-len(chosen)); i++ {
			if !choose(i+1, append(chosen[:len(chosen):len(chosen)], items[i])) {
				return false
			}
		}
		return true
	}
	return choose(0, nil)
}

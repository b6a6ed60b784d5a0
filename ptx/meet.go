package ptx

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// use is one use of a room by the threads of one CTA or cluster: the k-th arrivals of
// all of them are one use.
type use struct {
	room
	unit int // number of the CTA or cluster
	turn int
}

// attendance follows the threads of one combination of paths through their barriers.
type attendance struct {
	*Program
	paths   []*path
	uses    [][]use // of each thread, the use of each meeting
	done    []int   // how many meetings each thread has got through
	arrived map[use][]arrival
}

// arrival is a thread at a barrier.
type arrival struct {
	thread int
	meeting
}

// attend sends each thread as far as it comes. It reports whether the threads come just
// as far as their paths say.
func (p *Program) attend(paths []*path) (*attendance, bool) {
	a := &attendance{
		Program: p, paths: paths, uses: make([][]use, len(paths)),
		done: make([]int, len(paths)), arrived: map[use][]arrival{},
	}
	for t := range paths {
		a.uses[t] = a.usesOf(t)
	}
	for moved := true; moved; {
		moved = false
		for t := range paths {
			moved = a.advance(t) || moved
		}
	}
	for t, path := range paths {
		waiting := len(path.meetings) - a.done[t]
		if (path.Ending == event.EndlessWait) != (waiting == 1) || waiting > 1 {
			return nil, false
		}
	}
	return a, true
}

// usesOf numbers the turns of a thread at each room. A wait of its own, as
// barrier.cluster.wait, belongs to the arrival of the same turn.
func (a *attendance) usesOf(t int) []use {
	arrivals, waits := map[room]int{}, map[room]int{}
	var uses []use
	for _, m := range a.paths[t].meetings {
		turns := arrivals
		if !m.arrives {
			turns = waits
		}
		uses = append(uses, use{m.room, a.unit(t, m.room), turns[m.room]})
		turns[m.room]++
	}
	return uses
}

// unit is the CTA or the cluster of a thread.
func (p *Program) unit(t int, r room) int {
	if r.cluster {
		return p.threads[t].Cluster
	}
	return p.threads[t].CTA
}

// advance takes thread t through its next meetings, up to one where it must wait.
func (a *attendance) advance(t int) (moved bool) {
	meetings := a.paths[t].meetings
	for a.done[t] < len(meetings) {
		m, u := meetings[a.done[t]], a.uses[t][a.done[t]]
		here := func(x arrival) bool { return x.thread == t && x.event == m.event }
		if m.arrives && !slices.ContainsFunc(a.arrived[u], here) {
			a.arrived[u] = append(a.arrived[u], arrival{t, m})
			moved = true
		}
		if m.waits && !a.complete(u, m.count) {
			return moved
		}
		a.done[t]++
		moved = true
	}
	return moved
}

// complete reports that a use has all its arrivals.
func (a *attendance) complete(u use, count int) bool {
	if count > 0 {
		return len(a.arrived[u]) >= count
	}
	for t := range a.paths {
		here := func(x arrival) bool { return x.thread == t }
		if a.expects(u, t) && !slices.ContainsFunc(a.arrived[u], here) {
			return false
		}
	}
	return true
}

// expects reports that a thread takes part in a use: it belongs to the CTA or cluster,
// and its code has the barrier.
func (a *attendance) expects(u use, t int) bool {
	inCode := func(in *Instr) bool {
		if in.Mods.Barrier == "" {
			return false
		}
		r, known := in.staticRoom()
		return known && r == u.room
	}
	onPath := func(m meeting) bool { return m.room == u.room }
	return a.unit(t, u.room) == u.unit &&
		(slices.ContainsFunc(a.code[t].code, inCode) || slices.ContainsFunc(a.paths[t].meetings, onPath))
}

// synchronisations yields the pairs of the relation syncbar in each way that the
// barriers can complete: from each arrival that a use counts to each thread that it lets
// go on. Where more threads arrive than the use counts, any of them may be the ones in
// time. first is the number of each thread's first event.
func (a *attendance) synchronisations(first []event.ID, yield func([]event.Pair) bool) bool {
	uses := slices.SortedFunc(maps.Keys(a.arrived), func(u, v use) int { return a.arrived[u][0].compare(a.arrived[v][0]) })
	var choose func(i int, sync []event.Pair) bool
	choose = func(i int, sync []event.Pair) bool {
		if i == len(uses) {
			return yield(sync)
		}
		sources := a.arrived[uses[i]]
		n := len(sources)
		if c := sources[0].count; c > 0 {
			n = min(n, c)
		}
		return subsets(sources, n, func(in []arrival) bool {
			return choose(i+1, append(sync[:len(sync):len(sync)], a.links(first, uses[i], in)...))
		})
	}
	return choose(0, nil)
}

func (x arrival) compare(y arrival) int {
	if x.thread != y.thread {
		return x.thread - y.thread
	}
	return x.event - y.event
}

// links is from the sources of a use to every thread that has waited there.
func (a *attendance) links(first []event.ID, u use, sources []arrival) []event.Pair {
	var pairs []event.Pair
	for t, path := range a.paths {
		for i, m := range path.meetings[:a.done[t]] {
			if !m.waits || a.uses[t][i] != u {
				continue
			}
			for _, x := range sources {
				if x.releases {
					pairs = append(pairs, event.Pair{first[x.thread] + x.event, first[t] + m.event})
				}
			}
		}
	}
	return pairs
}

// subsets calls f with each choice of n items; it stops when f returns false.
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

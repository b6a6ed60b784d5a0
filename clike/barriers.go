package clike

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/language/unwind"
)

// A barrier is two events: an entry fence, which releases, and an exit fence, which acquires
// (OpenCL C, 6.13.8; CUDA C++ Programming Guide, "Synchronization Functions"). The entry events of all
// threads that meet synchronize with the exit events of the others: the relation syncbar. The k-th turn
// of each thread at a barrier meets the k-th turns of the others.

// meeting is what a thread does at a barrier.
type meeting struct {
	Room
	entry, exit int // numbers of the events on the path; noEvent if there is none
	vote        bool
	result      int64
}

const noEvent = -1

// alike reports that two meetings are the same but for where they are on their paths.
func (m meeting) alike(n meeting) bool {
	m.entry, m.exit, n.entry, n.exit = min(m.entry, 0), min(m.exit, 0), min(n.entry, 0), min(n.exit, 0)
	return m == n
}

// meet appends the events of a barrier. Where the thread waits, it may wait for ever.
func (w *walk) meet(in *Meet) error {
	m := meeting{Room: in.Room, entry: noEvent, exit: noEvent}
	if in.Vote != nil {
		vote, err := w.eval(in, in.Vote)
		if err != nil {
			return err
		}
		truth, known := w.Truth(vote.Value)
		if !known {
			other := w.fork()
			other.Assume(vote.Value, false)
			other.PC--
			w.Assume(vote.Value, true)
			truth = true
		}
		m.vote = truth
	}
	e := event.Event{Kind: event.Barrier, Scope: in.Scope, Tags: in.Spaces, Mnemonic: in.Name, Barrier: in.barrier()}
	if in.Arrives {
		e.Order = event.Release
		m.entry = w.event(e, nil, nil, nil)
	}
	if !in.Waits {
		w.Path.Meetings = append(w.Path.Meetings, m)
		return nil
	}
	stuck := w.fork()
	w.OneWay()
	stuck.Path.Meetings = append(stuck.Path.Meetings, m)
	stuck.Path.Ending = event.EndlessWait
	if !in.Arrives {
		stuck.event(e, nil, nil, nil)
	}
	e.Order = event.Acquire
	m.exit = w.event(e, nil, nil, nil)
	w.Path.Meetings = append(w.Path.Meetings, m)
	w.takeResult(in)
	return nil
}

// barrier is what people call the barrier.
func (in *Meet) barrier() string {
	if in.Room.Name != "" {
		return "barrier " + in.Room.Name
	}
	return in.Name
}

// takeResult sets what a barrier that reduces returns. It depends on the other threads, so each result
// is a path of its own; those that do not come about fall away where the threads meet.
func (w *walk) takeResult(in *Meet) {
	if in.Dst == None {
		return
	}
	most := 1
	if in.Room.Reduces == "count" {
		most = w.threads
	}
	for result := most; result >= 0; result-- {
		here := w
		if result > 0 {
			here = w.fork()
		}
		here.Path.Meetings[len(here.Path.Meetings)-1].result = int64(result)
		here.regs[in.Dst] = unwind.Held{Value: event.Const(event.Int(int64(result)))}
	}
}

// site is a turn at a barrier: who has been there as often.
type site struct {
	Room
	unit int
	turn int
}

// gathering is the threads at a site: where they arrive and where they go on.
type gathering struct {
	site
	arrivals, releases []event.Pair // thread and event of the path
	votes              int
	results            []int64
}

// gather brings the threads of one combination of paths together at their barriers. It reports false
// if some thread goes on that must wait, or waits although all have come.
func (p *Program) gather(paths []*path) (rounds []*gathering, ok bool) {
	for t, path := range paths {
		turns := map[site][2]int{}
		for i, m := range path.Meetings {
			at := site{Room: m.Room, unit: p.unit(t, m.Room)}
			turn := turns[at]
			stuck := path.Ending == event.EndlessWait && i == len(path.Meetings)-1
			if m.entry != noEvent {
				g := find(&rounds, site{at.Room, at.unit, turn[0]})
				g.arrivals = append(g.arrivals, event.Pair{t, m.entry})
				if m.vote {
					g.votes++
				}
				turn[0]++
			}
			if m.exit != noEvent || stuck {
				g := find(&rounds, site{at.Room, at.unit, turn[1]})
				exit := m.exit
				if stuck {
					exit = noEvent
				}
				g.releases = append(g.releases, event.Pair{t, exit})
				if !stuck {
					g.results = append(g.results, m.result)
				}
				turn[1]++
			}
			turns[at] = turn
		}
	}
	for _, g := range rounds {
		complete := len(g.arrivals) >= p.expected(g.site)
		for _, r := range g.releases {
			if complete == (r[1] == noEvent) {
				return nil, false
			}
		}
		if slices.ContainsFunc(g.results, func(n int64) bool { return g.Reduces != "" && n != g.result() }) {
			return nil, false
		}
	}
	return rounds, true
}

// result is what a barrier returns to its threads.
func (g *gathering) result() int64 {
	switch {
	case g.Reduces == "count":
		return int64(g.votes)
	case g.Reduces == "and" && g.votes == len(g.arrivals), g.Reduces == "or" && g.votes > 0:
		return 1
	}
	return 0
}

func find(rounds *[]*gathering, at site) *gathering {
	for _, g := range *rounds {
		if g.site == at {
			return g
		}
	}
	g := &gathering{site: at}
	*rounds = append(*rounds, g)
	return g
}

// place is a barrier of a CTA, a cluster or the like.
type place struct {
	Room
	unit int
}

// place is where a thread comes to a meeting.
func (p *Program) place(t int, m meeting) place { return p.placeOf(t, m.Room) }

func (p *Program) placeOf(t int, r Room) place { return place{r, p.unit(t, r)} }

// unit is the CTA, the cluster or the like whose threads meet in a room.
func (p *Program) unit(t int, r Room) int {
	switch here := &p.threads[t]; r.Unit {
	case event.ScopeThread:
		return here.Warp
	case event.ScopeCTA:
		return here.CTA
	case event.ScopeCluster:
		return here.Cluster
	case event.ScopeGPU:
		if r.Name == "" {
			return here.Kernel // a grid: only barriers in memory are of a device
		}
		return here.Device
	}
	return 0
}

// expected is how many arrivals complete a site: one of each thread of the unit that has the barrier in
// its code, unless the barrier counts.
func (p *Program) expected(at site) int {
	if at.Count > 0 {
		return at.Count
	}
	n := 0
	for t := range p.Code {
		if p.unit(t, at.Room) == at.unit && p.arrives(t, at.Room) {
			n++
		}
	}
	return n
}

// arrives reports that a thread has an arrival at a barrier in its code.
func (p *Program) arrives(t int, r Room) bool {
	return slices.ContainsFunc(p.Code[t].Code, func(in Instr) bool {
		m, ok := in.(*Meet)
		return ok && m.Arrives && m.Room == r
	})
}

// turns finds what paths say of barriers that wait for each thread that has one in its code.
func (p *Program) turns() func(t int, path *path) []unwind.Turns[place] {
	comers := map[place]int{} // how many threads arrive at a barrier
	rooms := make([][]Room, len(p.Code))
	for t, code := range p.Code {
		for _, in := range code.Code {
			if m, ok := in.(*Meet); ok && !slices.Contains(rooms[t], m.Room) {
				rooms[t] = append(rooms[t], m.Room)
				if p.arrives(t, m.Room) {
					comers[p.placeOf(t, m.Room)]++
				}
			}
		}
	}
	return func(t int, path *path) (all []unwind.Turns[place]) {
		for _, r := range rooms[t] {
			if at := p.placeOf(t, r); r.Count == 0 || comers[at] <= r.Count {
				all = append(all, p.turnsAt(at, t, path))
			}
		}
		return all
	}
}

// turnsAt is what the path of a thread says of a barrier, which waits for it if it arrives there.
func (p *Program) turnsAt(at place, t int, path *path) unwind.Turns[place] {
	turns, comes := unwind.Turns[place]{At: at, Most: unwind.Any}, 0
	for _, m := range path.Meetings {
		if m.Room != at.Room {
			continue
		}
		if m.entry != noEvent {
			comes++
		}
		if m.exit != noEvent {
			turns.Results = append(turns.Results, m.result)
		}
	}
	if p.arrives(t, at.Room) {
		turns.Most = comes
	}
	if n := len(path.Meetings); path.Ending == event.EndlessWait && path.Meetings[n-1].Room == at.Room {
		turns.Most = min(turns.Most, len(turns.Results))
	}
	return turns
}

// waits is the pairs of awaited: from each arrival to each thread that it lets go on.
func waits(s *event.Structure, rounds []*gathering) []event.Pair {
	var pairs []event.Pair
	for _, g := range rounds {
		for _, a := range g.arrivals {
			for _, r := range g.releases {
				if r[1] != noEvent {
					pairs = append(pairs, event.Pair{s.First[a[0]] + a[1], s.First[r[0]] + r[1]})
				}
			}
		}
	}
	return pairs
}

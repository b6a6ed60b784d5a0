package barrier

import "slices"

// Arrivals at different sites commute, and so do arrivals in one round. So the search need not try
// every order of arrivals. If no other thread can come between, it lets one or a few threads arrive
// next (Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", 1996:
// persistent sets). The threads that can still reach a site are bounded by a run in which threads
// pass a site as soon as enough have come there, in any rounds.

// ahead bounds how far threads can come while no thread passes a certain site.
type ahead struct {
	*simulation
	shut    int   // the number of that site
	next    []int // by thread: the visit to which it comes
	waiting []bool
	come    [][]int // by site and thread: how often it has come there since the last complete round
	through [][]int // by site and thread: how often it has got through there since
}

// comeTo bounds the arrivals at a site from now on, while no thread passes it and some threads do
// not move.
func (s *simulation) comeTo(shut int, stay []int) (arrivals int) {
	threads := len(s.tracks)
	h := &ahead{
		simulation: s, shut: shut, next: slices.Clone(s.done), waiting: make([]bool, threads),
		come: make([][]int, len(s.all)), through: make([][]int, len(s.all)),
	}
	for n := range s.all {
		h.come[n], h.through[n] = make([]int, threads), make([]int, threads)
	}
	here := 0
	for i := range s.rounds {
		if r := &s.rounds[i]; !r.complete || r.byTurn {
			for _, a := range r.arrivals {
				h.come[r.site][a.thread]++
			}
			if r.site == shut {
				here = len(r.arrivals)
			}
		}
	}
	for t := range s.tracks {
		h.waiting[t] = s.in[t] >= 0
	}
	for moved := true; moved; {
		moved = false
		for t := range s.tracks {
			for !slices.Contains(stay, t) && h.step(t) {
				moved = true
			}
		}
	}
	return sum(h.come[shut]) - here
}

// step moves a thread to its next visit, or past it, and reports whether it can.
func (h *ahead) step(t int) bool {
	if h.next[t] == len(h.tracks[t].Visits) {
		return false
	}
	v, n := &h.tracks[t].Visits[h.next[t]], h.at[t][h.next[t]]
	switch {
	case !h.waiting[t]:
		if v.arrives() {
			h.come[n][t]++
		}
		if h.waiting[t] = v.waits(); !h.waiting[t] {
			h.next[t]++
		}
		return true
	case n == h.shut || h.complete(n) <= h.through[n][t]:
		return false
	}
	h.through[n][t]++
	h.waiting[t] = false
	h.next[t]++
	return true
}

// complete returns the number of rounds that can be complete at a site by now.
func (h *ahead) complete(n int) int {
	if h.all[n].count > 0 {
		return sum(h.come[n]) / h.needs[n]
	}
	least := len(h.tracks) * len(h.all)
	for _, t := range h.comers[n] {
		least = min(least, h.come[n][t])
	}
	return least
}

func sum(all []int) (n int) {
	for _, x := range all {
		n += x
	}
	return n
}

// fits reports whether all that can arrive where a thread does, before the round there is complete,
// are in that round.
func (s *simulation) fits(t int) bool {
	n := s.at[t][s.done[t]]
	here := 0
	for i := range s.rounds {
		if r := &s.rounds[i]; r.site == n && !r.complete {
			here = len(r.arrivals)
		}
	}
	return here+s.comeTo(n, nil) <= s.needs[n]
}

// arriving returns the threads to try as the next to arrive, in their order. It leaves out threads
// if the search reaches the same ends without them, because arrivals at different barriers commute.
func (s *simulation) arriving() (few []int) {
	at := make([][]int, len(s.all)) // the threads that are ready, by site
	var all []int
	for t := range s.tracks {
		if s.ready(t) {
			n := s.at[t][s.done[t]]
			all, at[n] = append(all, t), append(at[n], t)
		}
	}
	for n, some := range at {
		if len(some) > 0 && (few == nil || len(some) < len(few)) && s.comeTo(n, some) == 0 {
			few = some
		}
	}
	if few == nil {
		return all
	}
	return few
}

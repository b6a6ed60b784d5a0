package ptx

import "slices"

// Arrivals at different sites can change places, and so can arrivals that are in one round whichever comes first. So not every order of arrivals need be
// tried: where nobody else can come between, it is enough to let a few threads, or one, arrive next (Godefroid, "Partial-Order Methods for
// the Verification of Concurrent Systems", 1996: persistent sets). Who else can come is bounded from above, by a run in which threads get through a
// site as soon as enough have come there, in whatever rounds.

// ahead is how far threads can come at most while nobody gets through one site any more.
type ahead struct {
	*attendance
	shut    int   // the number of the site
	next    []int // by thread: the meeting to which it comes
	waits   []bool
	come    [][]int // by site and thread: how often it has come there since the last complete round
	through [][]int // by site and thread: how often it has got through there since
}

// comeTo is how many arrivals at a site there can be from now on, while nobody gets through it and some threads stay where they are.
func (a *attendance) comeTo(shut int, stays []int) (arrivals int) {
	h := &ahead{
		attendance: a, shut: shut, next: slices.Clone(a.done), waits: make([]bool, len(a.paths)),
		come: make([][]int, len(a.all)), through: make([][]int, len(a.all)),
	}
	for s := range a.all {
		h.come[s], h.through[s] = make([]int, len(a.paths)), make([]int, len(a.paths))
	}
	here := 0
	for i := range a.rounds {
		if r := &a.rounds[i]; !r.complete || r.byTurns() {
			for _, x := range r.arrivals {
				h.come[r.number][x.thread]++
			}
			if r.number == shut {
				here = len(r.arrivals)
			}
		}
	}
	for t := range a.paths {
		h.waits[t] = a.in[t] >= 0
	}
	for moved := true; moved; {
		moved = false
		for t := range a.paths {
			for !slices.Contains(stays, t) && h.step(t) {
				moved = true
			}
		}
	}
	return sum(h.come[shut]) - here
}

// step takes a thread to its next meeting, or through that. It reports whether it can.
func (h *ahead) step(t int) bool {
	if h.next[t] == len(h.paths[t].Meetings) {
		return false
	}
	m, s := &h.paths[t].Meetings[h.next[t]], h.at[t][h.next[t]]
	switch {
	case !h.waits[t]:
		if m.arrives {
			h.come[s][t]++
		}
		if h.waits[t] = m.waits; !m.waits {
			h.next[t]++
		}
		return true
	case s == h.shut || h.complete(s) <= h.through[s][t]:
		return false
	}
	h.through[s][t]++
	h.waits[t] = false
	h.next[t]++
	return true
}

// complete is how many rounds can be complete at a site by now.
func (h *ahead) complete(s int) int {
	if count := h.all[s].count; count > 0 {
		return sum(h.come[s]) / count
	}
	least := len(h.paths) * len(h.all)
	for _, t := range h.comers[s] {
		least = min(least, h.come[s][t])
	}
	return least
}

func sum(all []int) (n int) {
	for _, x := range all {
		n += x
	}
	return n
}

// fits reports that all that can arrive where thread t does, before the round there is complete, are in that round.
func (a *attendance) fits(t int) bool {
	s := a.at[t][a.done[t]]
	here := 0
	for i := range a.rounds {
		if r := &a.rounds[i]; r.number == s && !r.complete {
			here = len(r.arrivals)
		}
	}
	return here+a.comeTo(s, nil) <= a.all[s].count
}

// arriving is threads one of which arrives next, in the order in which threads come as far as the paths say: what others can do before makes no
// difference to it. They are few if that is known.
func (a *attendance) arriving() (few []int) {
	at := make([][]int, len(a.all)) // who is ready, by site
	var all []int
	for t := range a.paths {
		if a.ready(t) {
			s := a.at[t][a.done[t]]
			all, at[s] = append(all, t), append(at[s], t)
		}
	}
	for s, some := range at {
		if len(some) > 0 && (few == nil || len(some) < len(few)) && a.comeTo(s, some) == 0 {
			few = some
		}
	}
	if few == nil {
		return all
	}
	return few
}

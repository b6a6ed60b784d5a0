package barrier

import "slices"

// place is a barrier of one place: of one CTA, cluster or the like.
type place struct {
	Barrier
	number int // of the place at its level
}

// place returns where a thread reaches a barrier.
func (p *Program) place(thread int, b Barrier) place {
	if b.Level == Everyone {
		return place{b, 0}
	}
	return place{b, p.threads[thread].At[b.Level]}
}

// site is a place of rounds for threads with one count. At a barrier by turns, each turn is a site
// of its own, with one round.
type site struct {
	place
	count int
	turn  int // at a barrier by turns: how often a thread has been there before
}

// sites are where the threads of one combination of tracks meet.
type sites struct {
	all    []site
	at     [][]int // by thread and visit: the number of its site
	needs  []int   // by site with a count: the number of arrivals that complete a round
	comers [][]int // by site that does not count: the threads for which each round waits
}

// sites returns those of a combination of tracks.
func (p *Program) sites(tracks []Track) *sites {
	s := &sites{at: make([][]int, len(tracks))}
	arrivals := []int(nil) // by site
	for t, track := range tracks {
		for i := range track.Visits {
			v := &track.Visits[i]
			here := site{place: p.place(t, v.At), count: v.Count}
			if v.At.ByTurn {
				here.turn = turnOf(track.Visits, i)
			}
			n := slices.Index(s.all, here)
			if n < 0 {
				n = len(s.all)
				s.all, arrivals = append(s.all, here), append(arrivals, 0)
				s.comers = append(s.comers, p.comersTo(here, tracks))
			}
			if v.arrives() {
				arrivals[n]++
			}
			s.at[t] = append(s.at[t], n)
		}
	}
	for n, here := range s.all {
		needs := here.count
		if p.rules.LateArrivals && here.ByTurn {
			needs = max(needs, arrivals[n])
		}
		s.needs = append(s.needs, needs)
	}
	return s
}

// turnOf returns the turn of the i-th visit. A thread that arrives waits in the round of its
// arrival. A thread that only waits does so in the round after that of its last wait.
func turnOf(visits []Visit, i int) (turn int) {
	for j := range visits[:i] {
		before := &visits[j]
		counts := before.waits()
		if visits[i].arrives() {
			counts = before.arrives()
		}
		if before.At == visits[i].At && counts {
			turn++
		}
	}
	return turn
}

// comersTo returns the threads that the rounds of a site wait for, or nil if it has a count: the
// threads of the unit that have the barrier in their code, or arrive there on their track.
func (p *Program) comersTo(s site, tracks []Track) (comers []int) {
	if s.count > 0 {
		return nil
	}
	for t, track := range tracks {
		arrives := func(v Visit) bool { return v.At == s.Barrier && v.arrives() }
		known := slices.Contains(p.code[t], s.Barrier)
		if p.place(t, s.Barrier) == s.place && (known || slices.ContainsFunc(track.Visits, arrives)) {
			comers = append(comers, t)
		}
	}
	return comers
}

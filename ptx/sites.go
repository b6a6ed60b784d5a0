package ptx

import "slices"

// sites are where the threads of one combination of paths meet.
type sites struct {
	all    []site
	at     [][]int // by thread and meeting: the number of its site
	comers [][]int // by site that does not count: the threads that each of its rounds waits for
}

// sites are those of a combination of paths.
func (p *Program) sites(paths []*path) *sites {
	s := &sites{at: make([][]int, len(paths))}
	for t, path := range paths {
		for i, m := range path.Meetings {
			here := site{room: m.room, unit: p.unit(t, m.room), count: m.count}
			if m.byTurns() {
				for _, before := range path.Meetings[:i] {
					// A wait of its own, as barrier.cluster.wait, belongs to the arrival of the same turn.
					if before.room == m.room && before.arrives == m.arrives {
						here.turn++
					}
				}
			}
			n := slices.Index(s.all, here)
			if n < 0 {
				n = len(s.all)
				s.all, s.comers = append(s.all, here), append(s.comers, p.comersTo(here, paths))
			}
			s.at[t] = append(s.at[t], n)
		}
	}
	return s
}

// comersTo are the threads that take part in the rounds of a site, if that does not count: they belong to the CTA or cluster, and their code or
// their path has the barrier.
func (p *Program) comersTo(s site, paths []*path) (comers []int) {
	for t, path := range paths {
		onPath := func(m meeting) bool { return m.room == s.room }
		if s.count == 0 && p.unit(t, s.room) == s.unit && (p.code[t].knows(s.room) || slices.ContainsFunc(path.Meetings, onPath)) {
			comers = append(comers, t)
		}
	}
	return comers
}

// site is where the i-th meeting of a thread is.
func (a *attendance) site(t, i int) site { return a.all[a.at[t][i]] }

package barrier

import "slices"

// simulation is the threads of one combination of tracks on their way through their visits.
type simulation struct {
	*sites
	tracks []Track
	done   []int   // by thread: the number of visits that it has passed
	in     []int   // by thread: the round in which it waits; -1 if it does not
	met    [][]int // by thread and visit that has begun: its round
	rounds []round
	wrong  bool // a thread has left a barrier with another result than its track says
}

// round is a round at a site: the threads that meet there.
type round struct {
	site     int       // number of the site
	byTurn   bool      // of the site
	arrivals []arrival // in order
	waiting  []arrival
	complete bool
}

// arrival is a thread at one of its visits.
type arrival struct{ thread, visit int }

// begin returns the simulation of threads that have not met yet.
func (p *Program) begin(tracks []Track) *simulation {
	n := len(tracks)
	return &simulation{
		sites: p.sites(tracks), tracks: tracks,
		done: make([]int, n), in: slices.Repeat([]int{-1}, n), met: make([][]int, n),
	}
}

func (s *simulation) clone() *simulation {
	c := *s
	c.done, c.in, c.met, c.rounds = slices.Clone(s.done), slices.Clone(s.in), slices.Clone(s.met), slices.Clone(s.rounds)
	for t := range c.met {
		c.met[t] = slices.Clip(c.met[t])
	}
	for i := range c.rounds {
		r := &c.rounds[i]
		r.arrivals, r.waiting = slices.Clip(r.arrivals), slices.Clip(r.waiting)
	}
	return &c
}

func (s *simulation) visit(a arrival) *Visit { return &s.tracks[a.thread].Visits[a.visit] }

// ready reports whether a thread has a visit to begin.
func (s *simulation) ready(t int) bool { return s.in[t] < 0 && s.done[t] < len(s.tracks[t].Visits) }

// ordered reports whether the next visit of a thread is at a barrier where the order of arrivals
// decides which threads meet.
func (s *simulation) ordered(t int) bool {
	at := &s.all[s.at[t][s.done[t]]]
	return at.count > 0 && !at.ByTurn
}

// arrive makes a thread begin its next visit, and reports whether the thread has one.
func (s *simulation) arrive(t int) bool {
	if !s.ready(t) {
		return false
	}
	here := arrival{t, s.done[t]}
	v := s.visit(here)
	n := s.roundAt(s.at[t][here.visit])
	r := &s.rounds[n]
	s.met[t] = append(s.met[t], n)
	if v.arrives() {
		r.arrivals = append(r.arrivals, here)
	}
	r.complete = s.isComplete(r)
	if v.waits() {
		r.waiting = append(r.waiting, here)
		s.in[t] = n
	} else {
		s.done[t]++
	}
	return true
}

// roundAt returns the number of the round that an arrival at a site joins: the round that is not
// complete, or the only round of a site by turns.
func (s *simulation) roundAt(site int) int {
	n := slices.IndexFunc(s.rounds, func(r round) bool { return r.site == site && (!r.complete || r.byTurn) })
	if n < 0 {
		n = len(s.rounds)
		s.rounds = append(s.rounds, round{site: site, byTurn: s.all[site].ByTurn})
	}
	return n
}

// isComplete reports whether a round has the arrivals that it needs.
func (s *simulation) isComplete(r *round) bool {
	if s.all[r.site].count > 0 {
		return len(r.arrivals) >= s.needs[r.site]
	}
	return !slices.ContainsFunc(s.comers[r.site], func(t int) bool {
		return !slices.ContainsFunc(r.arrivals, func(a arrival) bool { return a.thread == t })
	})
}

// leave lets a thread go on if the round that it waits in is complete, and reports whether it does.
func (s *simulation) leave(t int) bool {
	if s.in[t] < 0 || !s.rounds[s.in[t]].complete {
		return false
	}
	s.wrong = s.wrong || !s.returns(&s.rounds[s.in[t]], s.visit(arrival{t, s.done[t]}))
	s.in[t] = -1
	s.done[t]++
	return true
}

// returns reports whether a visit has the result of its round, if that has one.
func (s *simulation) returns(r *round, v *Visit) bool {
	votes := 0
	for _, a := range r.arrivals {
		if s.visit(a).Vote {
			votes++
		}
	}
	return v.At.Reduce == NoReduction || v.Result == v.At.Reduce.result(len(r.arrivals), votes)
}

// advance lets the threads go on as long as their order makes no difference.
func (s *simulation) advance() {
	for moved := true; moved; {
		moved = false
		for t := range s.tracks {
			moved = s.leave(t) || s.ready(t) && !s.ordered(t) && s.arrive(t) || moved
		}
		for t := 0; t < len(s.tracks) && !moved; t++ {
			moved = s.ready(t) && s.fits(t) && s.arrive(t)
		}
	}
}

// asTracksSay reports whether each thread has passed all of its visits, except for one that its
// track never passes.
func (s *simulation) asTracksSay() bool {
	for t := range s.tracks {
		left := len(s.tracks[t].Visits) - s.done[t]
		if endless := s.tracks[t].Endless; endless != (s.in[t] >= 0) || endless && left != 1 || !endless && left != 0 {
			return false
		}
	}
	return true
}

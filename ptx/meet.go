package ptx

import (
	varint "encoding/binary"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx/isa"
)

// site is a barrier as its threads use it. The manual's barriers are used again as soon as
// they complete, so a site of theirs has round after round (PTX ISA, "bar, barrier"). At
// an instance that a litmus test numbers, and at the barrier of a cluster, each turn of a
// thread is a round of its own: the k-th arrivals of all threads meet.
type site struct {
	room
	unit  int // number of the CTA, cluster or warp
	count int // see meeting; threads that count differently do not meet
	turn  int // at a site by turns, how often the thread has been there before
}

// byTurns reports that each turn of a thread is a round of its own.
func (r room) byTurns() bool { return r.cluster || r.warp || r.instance != noInstance }

// gathering is a round at a site: the threads that meet there.
type gathering struct {
	site
	number   int       // of the site
	arrivals []arrival // in order
	waiting  []arrival
	complete bool
}

// arrival is a thread at a barrier event.
type arrival struct {
	thread int
	turn   int // number of the meeting on its path
	meeting
}

// alike reports that two meetings are the same but for where they are on their paths.
func (m meeting) alike(n meeting) bool {
	m.event, n.event = 0, 0
	return m == n
}

// attendance follows the threads of one combination of paths through their barriers.
type attendance struct {
	*Program
	*sites
	paths  []*path
	done   []int   // how many meetings each thread has got through
	in     []int   // the round in which each thread waits; -1 if it does not
	met    [][]int // the round of each meeting that a thread has come to
	rounds []gathering
	wrong  bool // a thread has left a barrier with another result than its path says
}

// attend sends each thread as far as it comes, and calls found with each way in which
// the threads come just as far as their paths say. It stops when found returns false, or when
// it is told to.
func (p *Program) attend(paths []*path, asked *patience, found func(*attendance) bool) bool {
	m := meetings{wanted: (*attendance).asThePathsSay, found: found, asked: asked}
	return m.all(p.attendance(paths))
}

// attendance is that of threads which have not met yet.
func (p *Program) attendance(paths []*path) *attendance {
	return &attendance{
		Program: p, sites: p.sites(paths), paths: paths,
		done: make([]int, len(paths)), in: slices.Repeat([]int{-1}, len(paths)), met: make([][]int, len(paths)),
	}
}

// meetings is a search for the ways in which threads can meet. Two ways are different if they
// differ in who meets whom; in which order that happens makes no difference. So it has to
// remember histories, but only those that lead to an end: whether there is one depends on where
// the threads stand, and that is asked first.
type meetings struct {
	wanted func(*attendance) bool // an end is one of those that are looked for
	found  func(*attendance) bool
	asked  *patience
	seen   map[string]bool // histories that it has gone on from
	dead   map[string]bool // standings from which no way ends as wanted
	over   bool            // no more is wanted
}

// all finds all ways to go on. It reports that it was not stopped.
func (m *meetings) all(a *attendance) bool {
	m.seen, m.dead = map[string]bool{}, map[string]bool{}
	m.explore(a)
	return !m.over
}

// explore lets the threads arrive in every order that may make a difference. It returns whether
// some way to go on ends as wanted. Results are compared as soon as a round is complete,
// so that what is left to come does not depend on them.
func (m *meetings) explore(a *attendance) (ends bool) {
	if a.advance(); a.wrong {
		return false
	}
	standing := a.standing()
	if m.dead[standing] {
		return false
	}
	history := a.history()
	if m.seen[history] {
		return true
	}
	arriving := a.arriving()
	for _, t := range arriving {
		next := a.clone()
		next.arrive(t)
		ends = m.explore(next) || ends
		if m.over = m.over || m.asked.over(); m.over {
			return ends
		}
	}
	if len(arriving) == 0 && m.wanted(a) {
		ends = true
		m.over = !m.found(a)
	}
	if ends {
		m.seen[history] = true
	} else {
		m.dead[standing] = true
	}
	return ends
}

// advance lets the threads go on as far as it makes no difference in which order they do.
func (a *attendance) advance() {
	for moved := true; moved; {
		moved = false
		for t := range a.paths {
			moved = a.leave(t) || a.ready(t) && !a.counts(t) && a.arrive(t) || moved
		}
		for t := 0; t < len(a.paths) && !moved; t++ {
			moved = a.ready(t) && a.fits(t) && a.arrive(t)
		}
	}
}

// history says who has met whom, in whatever order: at each meeting of each thread stands the
// number of its round, which is that of the first arrival in it.
func (a *attendance) history() string {
	number := make([]int, len(a.rounds)) // plus one
	var h []byte
	next := 0
	for _, met := range a.met {
		h = varint.AppendUvarint(h, uint64(len(met)))
		for _, r := range met {
			if number[r] == 0 {
				next++
				number[r] = next
			}
			h = varint.AppendUvarint(h, uint64(number[r]))
		}
	}
	return string(h)
}

// standing is all that decides how the threads can go on: how far each has come, and which of
// its arrivals are in a round that is not complete yet. A site has at most one such round, or
// one for each turn of the threads, so it need not be told which.
func (a *attendance) standing() string {
	var s []byte
	for _, met := range a.met {
		s = varint.AppendUvarint(s, uint64(len(met)))
		for i, r := range met {
			if !a.rounds[r].complete {
				s = varint.AppendUvarint(s, uint64(i+1))
			}
		}
		s = append(s, 0)
	}
	return string(s)
}

func (a *attendance) clone() *attendance {
	b := *a
	b.done, b.in, b.met, b.rounds = slices.Clone(a.done), slices.Clone(a.in), slices.Clone(a.met), slices.Clone(a.rounds)
	for t := range b.met {
		b.met[t] = slices.Clip(b.met[t])
	}
	for i := range b.rounds {
		r := &b.rounds[i]
		r.arrivals, r.waiting = slices.Clip(r.arrivals), slices.Clip(r.waiting)
	}
	return &b
}

// ready reports that thread t has a meeting to go to.
func (a *attendance) ready(t int) bool { return a.in[t] < 0 && a.done[t] < len(a.paths[t].Meetings) }

// place is a barrier of a CTA, of a cluster or of a warp.
type place struct {
	room
	unit int
}

// place is where a thread comes to a meeting.
func (p *Program) place(t int, m meeting) place { return p.placeOf(t, m.room) }

func (p *Program) placeOf(t int, r room) place { return place{r, p.unit(t, r)} }

// unit is the CTA, the cluster or the warp of a thread.
func (p *Program) unit(t int, r room) int {
	switch {
	case r.cluster:
		return p.threads[t].Cluster
	case r.warp:
		return p.threads[t].Warp
	}
	return p.threads[t].CTA
}

// counts reports that thread t comes to a site of the manual's that counts next: a round there is not one of its turns.
func (a *attendance) counts(t int) bool {
	s := a.site(t, a.done[t])
	return s.count > 0 && !s.byTurns()
}

// arrive takes thread t to its next meeting, if it is ready.
func (a *attendance) arrive(t int) bool {
	if !a.ready(t) {
		return false
	}
	m := a.paths[t].Meetings[a.done[t]]
	r := a.roundAt(a.at[t][a.done[t]])
	here := arrival{t, a.done[t], m}
	a.met[t] = append(a.met[t], r)
	if m.arrives {
		a.rounds[r].arrivals = append(a.rounds[r].arrivals, here)
		a.rounds[r].complete = a.isComplete(&a.rounds[r])
	}
	if m.waits {
		a.rounds[r].waiting = append(a.rounds[r].waiting, here)
		a.in[t] = r
	} else {
		a.done[t]++
	}
	return true
}

// roundAt is the number of the round that an arrival at a site joins: one that is not
// complete, or at a site by turns its only one.
func (a *attendance) roundAt(number int) int {
	r := slices.IndexFunc(a.rounds, func(r gathering) bool { return r.number == number && (!r.complete || r.byTurns()) })
	if r < 0 {
		r = len(a.rounds)
		a.rounds = append(a.rounds, gathering{site: a.all[number], number: number})
	}
	return r
}

// leave lets thread t go on if what it waits for is complete.
func (a *attendance) leave(t int) bool {
	if a.in[t] < 0 || !a.rounds[a.in[t]].complete {
		return false
	}
	a.wrong = a.wrong || !a.rounds[a.in[t]].gives(a.paths[t].Meetings[a.done[t]])
	a.in[t] = -1
	a.done[t]++
	return true
}

// gives reports that a meeting has the result of its round, if that has one.
func (r *gathering) gives(m meeting) bool {
	votes := 0
	for _, x := range r.arrivals {
		if x.vote {
			votes++
		}
	}
	return r.reduces == isa.NoUpdate || m.result == reduce(r.reduces, len(r.arrivals), votes)
}

// isComplete reports that a round has all its arrivals.
func (a *attendance) isComplete(r *gathering) bool {
	if r.count > 0 {
		return len(r.arrivals) >= r.count
	}
	return !slices.ContainsFunc(a.comers[r.number], func(t int) bool {
		return !slices.ContainsFunc(r.arrivals, func(x arrival) bool { return x.thread == t })
	})
}

// knows reports that the code of a thread has a barrier, whatever values registers have.
func (t *thread) knows(r room) bool {
	return slices.ContainsFunc(t.code, func(in *Instr) bool {
		if in.Op.Meeting == isa.NoMeeting {
			return false
		}
		has, known := in.staticRoom()
		return known && has == r
	})
}

// asThePathsSay reports that each thread has come through all its meetings, but for the
// last one of a path that waits there for ever.
func (a *attendance) asThePathsSay() bool {
	for t, path := range a.paths {
		waits := path.Ending == event.EndlessWait
		left := len(path.Meetings) - a.done[t]
		if waits != (a.in[t] >= 0) || waits && left != 1 || !waits && left != 0 {
			return false
		}
	}
	return true
}

// waits is who waited for whom at barriers, in one way that their rounds can complete.
type waits struct {
	awaited  []event.Pair // from each arrival that a round counts to each thread that it lets go on
	released []event.Pair // those of awaited whose arrival releases: the relation syncbar
}

// synchronizations yields the waits of each way that the rounds can complete. Where more
// threads arrive at a site by turns than it counts, any of them may be the ones in time.
// first is the number of each thread's first event.
func (a *attendance) synchronizations(first []event.ID, yield func(waits) bool) bool {
	var choose func(i int, w waits) bool
	choose = func(i int, w waits) bool {
		if i == len(a.rounds) {
			return yield(w)
		}
		r := &a.rounds[i]
		n := len(r.arrivals)
		if r.count > 0 {
			n = min(n, r.count)
		}
		return subsets(r.arrivals, n, func(sources []arrival) bool {
			return choose(i+1, a.with(w, first, r, sources))
		})
	}
	return choose(0, waits{})
}

// with adds the pairs from the sources of a round to every thread that has waited in it.
func (a *attendance) with(w waits, first []event.ID, r *gathering, sources []arrival) waits {
	w.awaited, w.released = slices.Clip(w.awaited), slices.Clip(w.released)
	if !r.complete {
		return w
	}
	number := func(x arrival) event.ID { return first[x.thread] + a.paths[x.thread].Meetings[x.turn].event }
	for _, here := range r.waiting {
		for _, x := range sources {
			pair := event.Pair{number(x), number(here)}
			w.awaited = append(w.awaited, pair)
			if x.releases {
				w.released = append(w.released, pair)
			}
		}
	}
	return w
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

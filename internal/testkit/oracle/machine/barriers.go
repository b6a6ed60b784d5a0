package machine

import (
	"slices"
	"strings"
)

// BarriersOfCTA is the number of barriers of a CTA in random programs. A barrier completes when all
// threads that use it have arrived, or when CountedThreads have.
const (
	BarriersOfCTA  = 2
	countings      = 2 // all threads, or CountedThreads
	CountedThreads = 2
	sites          = maxThreads * BarriersOfCTA * countings
)

// barrierState is the state of all barriers.
type barrierState struct {
	arrived [sites]uint8      // threads that have arrived in the current round
	number  [sites]uint8      // number of arrivals; a thread that does not wait may arrive twice
	round   [sites]uint8      // number of completed rounds
	waits   [maxThreads]int8  // 1 + the site at which a thread waits, or 0
	since   [maxThreads]uint8 // round that it waits for
	turns   [maxThreads]uint8 // number of a thread's arrivals at the barrier of the cluster
	waited  [maxThreads]uint8 // number of its waits there
}

// barrierSite is a barrier of a CTA, as used by threads with the same count.
type barrierSite struct{ cta, id, count int }

func (s barrierSite) index() int {
	return (s.cta*BarriersOfCTA+s.id)*countings + min(s.count, 1)
}

// arrive makes thread t arrive at a barrier of its CTA. Without a count, a round completes when all
// threads of the CTA that use the barrier have arrived (docs/litmus.md).
func (l *barrierState) arrive(p *Program, t int, in *Instr) {
	s := p.site(t, in)
	i := s.index()
	l.arrived[i] |= 1 << t
	l.number[i]++
	if in.Op == "bar.sync" {
		l.waits[t], l.since[t] = int8(i+1), l.round[i]
	}
	complete := int(l.number[i]) >= s.count
	if s.count == 0 {
		for _, u := range p.using(func(u int, in *Instr) bool {
			return strings.HasPrefix(in.Op, "bar.") && p.cta(u) == s.cta && int(in.Args[0].Value) == s.id
		}) {
			complete = complete && l.arrived[i]&(1<<u) != 0
		}
	}
	if complete {
		l.round[i]++
		l.arrived[i], l.number[i] = 0, 0
	}
}

// leave resumes thread t if the round that it waits for is complete, and reports whether it did.
func (l *barrierState) leave(t int) bool {
	if l.round[l.waits[t]-1] == l.since[t] {
		return false
	}
	l.waits[t] = 0
	return true
}

// clusterArrived reports whether every thread that uses the barrier of the cluster has arrived
// often enough for the next wait of thread t.
func (l *barrierState) clusterArrived(p *Program, t int) bool {
	users := p.using(func(_ int, in *Instr) bool { return strings.HasPrefix(in.Op, "barrier.cluster") })
	return !slices.ContainsFunc(users, func(u int) bool { return l.turns[u] <= l.waited[t] })
}

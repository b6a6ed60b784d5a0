package machine

import (
	"slices"
	"strings"
)

// BarriersOfCTA is the number of barriers of a CTA in random programs. A barrier completes when
// each thread has arrived that has it in its code, or when CountedThreads have.
const (
	BarriersOfCTA  = 2
	countings      = 2 // all threads, or CountedThreads
	CountedThreads = 2
	sites          = maxThreads * BarriersOfCTA * countings
)

// lobby is who is at which barrier.
type lobby struct {
	arrived [sites]uint8      // the threads that are in the round of a barrier
	number  [sites]uint8      // how many they are; one that does not wait may come twice
	round   [sites]uint8      // how many rounds are complete
	waits   [maxThreads]int8  // 1 + the site where a thread waits
	since   [maxThreads]uint8 // the round that it waits for
	turns   [maxThreads]uint8 // how often a thread has arrived at the barrier of the cluster
	waited  [maxThreads]uint8 // how often it has waited there
}

// A site is a barrier of a CTA as threads that count alike use it.
type barrierSite struct{ cta, id, count int }

func (s barrierSite) index() int {
	return (s.cta*BarriersOfCTA+s.id)*countings + min(s.count, 1)
}

// arrive takes thread t to a barrier of its CTA. Without a count, a round is complete when
// each thread of the CTA has arrived that has the barrier in its code (docs/litmus.md).
func (l *lobby) arrive(p *Program, t int, in *Instr) {
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

// leave lets thread t go on if what it waits for is complete.
func (l *lobby) leave(t int) bool {
	if l.round[l.waits[t]-1] == l.since[t] {
		return false
	}
	l.waits[t] = 0
	return true
}

// clusterArrived reports whether every thread that uses the barrier of the cluster has arrived as
// often as thread t has to wait for.
func (l *lobby) clusterArrived(p *Program, t int) bool {
	users := p.using(func(_ int, in *Instr) bool { return strings.HasPrefix(in.Op, "barrier.cluster") })
	return !slices.ContainsFunc(users, func(u int) bool { return l.turns[u] <= l.waited[t] })
}

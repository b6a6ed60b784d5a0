package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/rel"
)

// mostRuns and mostMeetings are how many runs, each of so many meetings, are looked at to find that barriers are settled.
const (
	mostRuns     = 64
	mostMeetings = 1 << 11
)

// settled reports that who meets whom does not depend on the order in which threads arrive at barriers, whatever paths they take, and that
// none arrives twice in a round. It is found out when it is first asked.
func (p *Program) settled() bool {
	p.settling.Do(func() { p.isSettled = p.roomsKnown() && p.runsSettled() })
	return p.isSettled
}

// roomsKnown reports that barriers that do not count wait for the same threads whatever paths are taken.
func (p *Program) roomsKnown() bool {
	for t, paths := range p.paths {
		for _, path := range paths {
			byRegister := func(m meeting) bool { return m.count == 0 && !p.code[t].knows(m.room) }
			if slices.ContainsFunc(path.Meetings, byRegister) {
				return false
			}
		}
	}
	return true
}

// runsSettled looks at one run of each combination of longest paths. What threads do that take shorter ones, or wait somewhere for ever, is the
// beginning of such a run.
func (p *Program) runsSettled() bool {
	longest := make([][]*path, len(p.paths))
	runs := 1
	for t, paths := range p.paths {
		longest[t] = longestOf(paths)
		if runs *= max(1, len(longest[t])); runs > mostRuns {
			return false
		}
	}
	paths := make([]*path, len(p.paths))
	var choose func(t int) bool
	choose = func(t int) bool {
		if t == len(paths) {
			a := p.attendance(paths)
			a.anyOrder = true
			a.advance()
			return a.inAnyOrder()
		}
		for _, paths[t] = range longest[t] {
			if !choose(t + 1) {
				return false
			}
		}
		return true
	}
	return choose(0)
}

// longestOf is paths of a thread of which all others are beginnings, as far as barriers tell.
func longestOf(paths []*path) (longest []*path) {
	begins := func(p, q *path) bool {
		return len(p.Meetings) <= len(q.Meetings) && slices.EqualFunc(p.Meetings, q.Meetings[:len(p.Meetings)], meeting.sameTurn)
	}
	for _, p := range paths {
		if slices.ContainsFunc(longest, func(q *path) bool { return begins(p, q) }) {
			continue
		}
		longest = append(slices.DeleteFunc(longest, func(q *path) bool { return begins(q, p) }), p)
	}
	return longest
}

// sameTurn reports that two meetings are the same for those who meet, but for votes and results, on which it does not depend who that is.
func (m meeting) sameTurn(n meeting) bool {
	return m.room == n.room && m.count == n.count && m.arrives == n.arrives && m.waits == n.waits
}

// inAnyOrder reports that all runs of these paths have the rounds of this one. Whoever arrives in a round must have waited, maybe by way of others,
// for all that arrive in the round before it at the barrier: the first arrival of another run that is in another round than here would
// be one that has not.
func (a *attendance) inAnyOrder() bool {
	after, number, ok := a.order()
	if !ok {
		return false
	}
	last := map[site]*gathering{} // the round before, at barriers that are used again
	for i := range a.rounds {
		r := &a.rounds[i]
		if r.byTurns() {
			continue
		}
		if r.twice() {
			return false
		}
		if before := last[r.site]; before != nil {
			for _, x := range before.arrivals {
				for _, y := range r.arrivals {
					if !after.Has(number(x), number(y)) {
						return false
					}
				}
			}
		}
		last[r.site] = r
	}
	return true
}

// order is from each meeting to those that come after it, because of program order and of who has waited for whom; false if they are too many.
func (a *attendance) order() (after rel.Rel, number func(arrival) int, ok bool) {
	first, n := make([]int, len(a.paths)), 0
	for t, path := range a.paths {
		first[t] = n
		n += len(path.Meetings)
	}
	if n > mostMeetings {
		return after, nil, false
	}
	number = func(x arrival) int { return first[x.thread] + x.turn }
	next := rel.New(n)
	for t, path := range a.paths {
		for i := 1; i < len(path.Meetings); i++ {
			next.Add(first[t]+i-1, first[t]+i)
		}
	}
	for i := range a.rounds {
		r := &a.rounds[i]
		if !r.complete || r.count > 0 && len(r.arrivals) > r.count { // else any of them may have been in time
			continue
		}
		for _, y := range r.waiting {
			if y.turn == len(a.paths[y.thread].Meetings)-1 {
				continue // nothing comes after it
			}
			for _, x := range r.arrivals {
				next.Add(number(x), number(y)+1)
			}
		}
	}
	return next.Plus(), number, true
}

// twice reports that a thread arrives twice in the round.
func (r *gathering) twice() bool {
	for i, x := range r.arrivals {
		if slices.ContainsFunc(r.arrivals[:i], func(y arrival) bool { return y.thread == x.thread }) {
			return true
		}
	}
	return false
}

package figure

import (
	"slices"

	"github.com/muster-gpu/muster/kernel/launch"
)

// event is an access, fence or barrier of a thread in a launch.
type event struct {
	access  *launch.Access
	sync    *launch.Sync
	omitted int // number of events that it replaces in the drawing
}

// events returns the events of a thread in program order.
func events(r *launch.Report, thread int) (all []event) {
	next := 0
	for i := range r.Syncs {
		s := &r.Syncs[i]
		if s.Thread != thread {
			continue
		}
		for ; next < s.After; next++ {
			all = accessOf(all, &r.Accesses[next], thread)
		}
		all = append(all, event{sync: s})
	}
	for ; next < len(r.Accesses); next++ {
		all = accessOf(all, &r.Accesses[next], thread)
	}
	return all
}

func accessOf(all []event, a *launch.Access, thread int) []event {
	if a.Thread == thread {
		all = append(all, event{access: a})
	}
	return all
}

// timeline is what the two threads of a race did.
type timeline struct {
	*launch.Report
	pair   [2]*launch.Access
	events [2][]event
}

// span is the part of a timeline that is drawn.
type span struct {
	pair      [2]*launch.Access
	intervals []stretch
	closes    *launch.Sync // barrier at its end; nil at the end of the launch
}

// stretch is what the threads do from one barrier to the next.
type stretch struct {
	opens  *launch.Sync // barrier at its start; nil at the start of the kernel
	events [2][]event
}

// between returns the interval in which the two threads race, or several if one of them passed a
// barrier without waiting (bar.arrive).
func (t *timeline) between() span {
	all := t.stretches()
	var at [2]int
	for i, a := range t.pair {
		at[i] = slices.IndexFunc(all, func(s stretch) bool {
			return slices.ContainsFunc(s.events[i], func(e event) bool { return e.access == a })
		})
	}
	from, to := min(at[0], at[1]), max(at[0], at[1])+1
	found := span{pair: t.pair, intervals: all[from:to]}
	if to < len(all) {
		found.closes = all[to].opens
	}
	return found
}

// stretches cuts a timeline at the barriers at which both threads wait for each other.
func (t *timeline) stretches() []stretch {
	var met [2]map[int]bool
	for i, thread := range t.events {
		met[i] = map[int]bool{}
		for _, e := range thread {
			if e.sync != nil && waits(e.sync) {
				met[i][e.sync.Meeting] = true
			}
		}
	}
	all := []stretch{{}}
	for i, thread := range t.events {
		at := 0
		for _, e := range thread {
			if e.sync == nil || !waits(e.sync) || !met[1-i][e.sync.Meeting] {
				all[at].events[i] = append(all[at].events[i], e)
				continue
			}
			if at++; at == len(all) {
				all = append(all, stretch{opens: e.sync})
			}
		}
	}
	return all
}

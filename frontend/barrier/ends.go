package barrier

import (
	"context"
	"slices"
)

// The ways in which threads meet depend only on what they do at barriers. So they are found once
// for all combinations of tracks, with threads that do as much as they can: a thread that waits for
// ever in the end follows a track that says so.

// mostRuns bounds the combinations of tracks for which ends are computed, and mostSteps the steps.
const (
	mostRuns  = 256
	mostSteps = 1 << 11
)

// ends are all ways in which the members of a team can meet.
type ends struct {
	ways  map[string][][]meeting // by the kinds of all members
	begun map[string]bool        // the kinds of the first members, where those of others go with them
}

// allEnds returns the ends of each combination of tracks, or nil if there are too many, or if the
// needs of a round depend on the tracks.
func (t *team) allEnds() *ends {
	longest, runs := make([][]int, len(t.members)), 1
	for i, member := range t.members {
		longest[i] = longestOf(t.kinds[member])
		if runs *= len(longest[i]); runs > mostRuns || !t.needsKnown(member) {
			return nil
		}
	}
	e := &ends{ways: map[string][][]meeting{}, begun: map[string]bool{}}
	seen := map[string]bool{}
	kinds := make([]int, len(t.members)) // of the tracks that the members try to follow
	m := search{
		budget: &Budget{ctx: context.Background(), most: mostSteps},
		wanted: func(s *simulation) bool { return t.taken(kinds, s) != nil },
		found: func(s *simulation) bool {
			taken := t.taken(kinds, s)
			if end := keyOf(taken) + s.history(); !seen[end] {
				seen[end] = true
				e.add(taken, s.complete())
			}
			return true
		},
	}
	sizes := make([]int, len(longest))
	for i := range longest {
		sizes[i] = len(longest[i])
	}
	any := func([]int) bool { return true }
	complete := combine(sizes, any, func(chosen []int) bool {
		for i, n := range chosen {
			kinds[i] = longest[i][n]
		}
		return m.all(t.begin(kinds))
	})
	if !complete {
		return nil
	}
	return e
}

// needsKnown reports whether the arrivals for which rounds wait are the same whatever tracks are
// taken, as far as the visits of a thread tell.
func (t *team) needsKnown(thread int) bool {
	depends := func(v Visit) bool {
		switch {
		case v.Count == 0:
			return v.arrives() && !slices.Contains(t.code[thread], v.At)
		case t.rules.LateArrivals && v.At.ByTurn:
			return len(t.uses[t.place(thread, v.At)].comers) > v.Count
		}
		return false
	}
	return !slices.ContainsFunc(t.kinds[thread], func(k Track) bool { return slices.ContainsFunc(k.Visits, depends) })
}

// longestOf returns, by number, those of a thread's tracks that go on where others wait for ever.
func longestOf(kinds []Track) (longest []int) {
	for i, k := range kinds {
		n := len(k.Visits)
		goesOn := func(l Track) bool { return (n < len(l.Visits) || !l.Endless) && waitsOn(k, l, n) }
		if !slices.ContainsFunc(kinds, goesOn) {
			longest = append(longest, i)
		}
	}
	return longest
}

// waitsOn reports whether track k waits for ever at the n-th visit of track l, and is equal to it
// up to there.
func waitsOn(k, l Track, n int) bool {
	return k.Endless && len(k.Visits) == n && n <= len(l.Visits) && slices.EqualFunc(k.Visits, l.Visits[:n], Visit.Alike)
}

// taken returns the kinds of the tracks that the members have taken in a run that is at its end, or
// nil if a member has no such track.
func (t *team) taken(kinds []int, s *simulation) (taken []int) {
	for i, member := range t.members {
		follows := s.tracks[member]
		kind := kinds[i]
		switch {
		case s.in[member] >= 0:
			kind = slices.IndexFunc(t.kinds[member], func(k Track) bool { return waitsOn(k, follows, s.done[member]+1) })
		case follows.Endless:
			kind = -1
		}
		if kind < 0 {
			return nil
		}
		taken = append(taken, kind)
	}
	return taken
}

// add adds a way to meet.
func (e *ends) add(kinds []int, way []meeting) {
	for i := range kinds {
		e.begun[keyOf(kinds[:i+1])] = true
	}
	e.ways[keyOf(kinds)] = append(e.ways[keyOf(kinds)], way)
}

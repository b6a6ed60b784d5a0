package barrier

import (
	"math"
	"slices"
)

// A thread has a path for each turn at a barrier in which it can wait for ever, and for each result
// that the barrier can return. Most of them contradict the path of one other thread. Comparing the
// two paths finds that without a search.

// turns is what a track says about the rounds of a place. No round completes before all of some set
// of threads have reached it.
type turns struct {
	at      place
	results []int64 // what the rounds returned that the thread has got through, in their order
	most    int     // the largest number of rounds that complete on the track
}

// agree reports whether two tracks can be taken together, as far as they tell.
func agree(p, q []turns) bool {
	for _, x := range p {
		for _, y := range q {
			common := min(len(x.results), len(y.results))
			if x.at == y.at && (len(x.results) > y.most || len(y.results) > x.most || !slices.Equal(x.results[:common], y.results[:common])) {
				return false
			}
		}
	}
	return true
}

// use is the set of operations of threads at a place.
type use struct {
	comers                []int // threads that have it in their code, or arrive there on a path
	counts                []int // by what visits count; 0 if all comers must come
	syncs, arrives, waits bool  // visits do both, only arrive, or only wait
}

// findUses finds what threads do at the places to which members come.
func (t *team) findUses() {
	t.uses = map[place]*use{}
	for _, member := range t.members {
		for _, track := range t.kinds[member] {
			for i := range track.Visits {
				v := &track.Visits[i]
				at := t.place(member, v.At)
				if t.uses[at] == nil {
					t.uses[at] = &use{}
				}
				t.uses[at].note(member, v)
			}
		}
	}
	for thread, code := range t.code {
		for _, b := range code {
			if u := t.uses[t.place(thread, b)]; u != nil {
				u.comers = with(u.comers, thread)
			}
		}
	}
}

func (u *use) note(thread int, v *Visit) {
	if v.arrives() {
		u.comers = with(u.comers, thread)
	}
	u.counts = with(u.counts, v.Count)
	u.syncs = u.syncs || v.arrives() && v.waits()
	u.arrives = u.arrives || !v.waits()
	u.waits = u.waits || !v.arrives()
}

// inTurn reports whether the k-th round at a place is the k-th turn of all threads, and completes
// only when all have come.
func (u *use) inTurn(byTurn bool) bool {
	switch {
	case len(u.counts) > 1:
		return false
	case len(u.counts) == 1 && u.counts[0] > 0:
		return byTurn && len(u.comers) <= u.counts[0]
	}
	apart := u.arrives || u.waits
	return !apart || !u.syncs && byTurn
}

// with returns a set and x.
func with[T comparable](set []T, x T) []T {
	if slices.Contains(set, x) {
		return set
	}
	return append(set, x)
}

// allTurns returns the turns of each track of each member. A barrier waits for the threads that
// have it in their code. A barrier with a count waits for all threads that come there on some path,
// if they are no more than the count. Any other barrier waits for the threads that come there on
// the paths taken.
func (t *team) allTurns() [][][]turns {
	all := make([][][]turns, len(t.members))
	for i, member := range t.members {
		always := slices.Clone(t.code[member])
		for _, track := range t.kinds[member] {
			for _, v := range track.Visits {
				if v.Count > 0 {
					always = with(always, v.At)
				}
			}
		}
		for _, track := range t.kinds[member] {
			barriers := slices.Clone(always)
			for _, v := range track.Visits {
				barriers = with(barriers, v.At)
			}
			var said []turns
			for _, b := range barriers {
				at := t.place(member, b)
				if u := t.uses[at]; u != nil && u.inTurn(at.ByTurn) {
					said = append(said, turnsAt(at, track, slices.Contains(u.comers, member)))
				}
			}
			all[i] = append(all[i], said)
		}
	}
	return all
}

// turnsAt returns what a track says of a place, which waits for its thread if that is one of the
// comers.
func turnsAt(at place, track Track, comes bool) turns {
	said := turns{at: at, most: math.MaxInt}
	arrivals := 0
	for i := range track.Visits {
		v := &track.Visits[i]
		if v.At != at.Barrier {
			continue
		}
		if v.arrives() {
			arrivals++
		}
		if v.waits() && (i < len(track.Visits)-1 || !track.Endless) {
			said.results = append(said.results, v.Result)
		}
	}
	if comes {
		said.most = arrivals
	}
	if !track.Endless {
		return said
	}
	switch last := &track.Visits[len(track.Visits)-1]; {
	case last.At != at.Barrier:
	case last.arrives():
		said.most-- // it waits in the round of its last arrival
	default:
		said.most = min(said.most, len(said.results))
	}
	return said
}

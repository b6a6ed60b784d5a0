package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/language/unwind"
	"github.com/muster-gpu/muster/ptx/isa"
)

// turns finds what paths say of barriers whose rounds wait for all of their threads.
func (p *Program) turns() func(t int, path *path) []unwind.Turns[place] {
	w := &attended{Program: p, always: make([][]room, len(p.code)), how: map[place]*manner{}}
	for t, code := range p.code {
		w.look(t, code)
	}
	return w.turns
}

// attended is the barriers of a program and how threads use them.
type attended struct {
	*Program
	always [][]room // by thread: those that wait for it, whatever its path
	how    map[place]*manner
}

// manner is what threads do at a barrier.
type manner struct {
	comers                []int // the threads that have it in their code or on a path
	counts                []int // how many arrivals complete a round, by what paths say: 0 if all that wait for it must come
	syncs, arrives, waits bool
}

// inTurn reports that the k-th round at a barrier is that of the k-th turns of all threads, and completes when all have come.
func (w *attended) inTurn(at place) bool {
	m := w.how[at]
	switch {
	case len(m.counts) > 1:
		return false
	case len(m.counts) == 1 && m.counts[0] > 0:
		return len(m.comers) <= m.counts[0] && at.byTurns()
	}
	apart := m.arrives || m.waits
	return !apart || !m.syncs && at.byTurns()
}

// look takes note of the barriers of a thread.
func (w *attended) look(t int, code *thread) {
	for _, in := range code.code {
		if r, known := in.staticRoom(); in.Op.Meeting != isa.NoMeeting && known && !r.warp {
			w.always[t] = with(w.always[t], r)
		}
	}
	for _, path := range w.paths[t] {
		for _, m := range path.Meetings {
			count := m.count
			if m.warp { // a round counts the lanes of its mask, and this thread is one
				w.always[t], count = with(w.always[t], m.room), 0
			}
			how := w.manner(w.place(t, m), t)
			how.counts = with(how.counts, count)
			how.syncs = how.syncs || m.arrives && m.waits
			how.arrives = how.arrives || !m.waits
			how.waits = how.waits || !m.arrives
		}
	}
	for _, r := range w.always[t] {
		w.manner(w.placeOf(t, r), t)
	}
}

// manner is what is known of a barrier to which a thread comes.
func (w *attended) manner(at place, t int) *manner {
	if w.how[at] == nil {
		w.how[at] = &manner{}
	}
	w.how[at].comers = with(w.how[at].comers, t)
	return w.how[at]
}

// with is a set and x.
func with[T comparable](set []T, x T) []T {
	if slices.Contains(set, x) {
		return set
	}
	return append(set, x)
}

// turns is what a path of a thread says. A barrier that a register names waits for the threads whose paths come to it.
func (w *attended) turns(t int, path *path) (all []unwind.Turns[place]) {
	rooms := slices.Clone(w.always[t])
	for _, m := range path.Meetings {
		rooms = with(rooms, m.room)
	}
	for _, r := range rooms {
		if at := w.placeOf(t, r); w.inTurn(at) {
			all = append(all, turnsAt(at, path))
		}
	}
	return all
}

// turnsAt is what a path says of a barrier that waits for its thread.
func turnsAt(at place, path *path) unwind.Turns[place] {
	turns := unwind.Turns[place]{At: at}
	for i, m := range path.Meetings {
		if m.room != at.room {
			continue
		}
		if m.arrives {
			turns.Most++
		}
		if m.waits && (i < len(path.Meetings)-1 || path.Ending != event.EndlessWait) {
			turns.Results = append(turns.Results, m.result)
		}
	}
	if n := len(path.Meetings); path.Ending == event.EndlessWait && path.Meetings[n-1].room == at.room {
		if path.Meetings[n-1].arrives {
			turns.Most-- // it waits in the round of its last arrival
		} else {
			turns.Most = min(turns.Most, len(turns.Results))
		}
	}
	return turns
}

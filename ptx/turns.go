package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/unwind"
	"github.com/muster-gpu/muster/ptx/isa"
)

// turns finds what paths say of barriers whose rounds wait for all of their threads.
func (p *Program) turns() func(t int, path *path) []unwind.Turns[place] {
	w := &attended{Program: p, always: make([][]room, len(p.code)), how: map[place]manner{}}
	for t, code := range p.code {
		w.look(t, code)
	}
	return w.turns
}

// attended is the barriers of a program and how threads use them.
type attended struct {
	*Program
	always [][]room // by thread: those that wait for it, whatever its path
	how    map[place]manner
}

// manner is what threads do at a barrier.
type manner struct{ syncs, arrives, waits, counts bool }

// inTurn reports that the k-th round at a barrier is that of the k-th turns of all threads, and completes when all have come.
func (m manner) inTurn(r room) bool {
	apart := m.arrives || m.waits
	return !m.counts && (!apart || !m.syncs && r.byTurns())
}

// look takes note of the barriers of a thread.
func (w *attended) look(t int, code *thread) {
	add := func(r room) {
		if !slices.Contains(w.always[t], r) {
			w.always[t] = append(w.always[t], r)
		}
	}
	for _, in := range code.code {
		if r, known := in.staticRoom(); in.Op.Meeting != isa.NoMeeting && known && !r.warp {
			add(r)
		}
	}
	for _, path := range w.paths[t] {
		for _, m := range path.Meetings {
			if m.warp {
				add(m.room) // a round counts the lanes of its mask, and this thread is one
			}
			at := w.place(t, m)
			how := w.how[at]
			w.how[at] = manner{
				syncs: how.syncs || m.arrives && m.waits, arrives: how.arrives || !m.waits, waits: how.waits || !m.arrives,
				counts: how.counts || m.count > 0 && !m.warp,
			}
		}
	}
}

// turns is what a path of a thread says. A barrier that a register names waits for the threads whose paths come to it.
func (w *attended) turns(t int, path *path) (all []unwind.Turns[place]) {
	rooms := slices.Clone(w.always[t])
	for _, m := range path.Meetings {
		if !slices.Contains(rooms, m.room) {
			rooms = append(rooms, m.room)
		}
	}
	for _, r := range rooms {
		if at := w.placeOf(t, r); w.how[at].inTurn(r) {
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
		turns.Most = min(turns.Most, len(turns.Results))
	}
	return turns
}

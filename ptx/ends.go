package ptx

import (
	"context"
	varint "encoding/binary"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/language/unwind"
)

// Who meets whom depends on nothing but what threads do at barriers. So it is found out once for all combinations of paths, with threads that do as
// much as they can: whoever waits for ever in the end is one whose path says so.

// mostRuns and mostSteps are how many combinations of tracks are looked at for that, and how many steps are spent on them.
const (
	mostRuns  = 256
	mostSteps = 1 << 11
)

// ends are all ways in which the threads of a program can meet.
type ends struct {
	kinds [][]*path                // by thread: paths that differ in what they do at barriers
	ways  map[string][]*attendance // by the kinds of all threads
	begun map[string]bool          // the kinds of the first threads, where those of others go with them
}

// ends is found when it is first asked for; nil if there is too much to look at.
func (p *Program) ends() *ends {
	p.ending.Do(func() {
		if p.roomsKnown() {
			p.endings = p.allEnds()
		}
	})
	return p.endings
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

// allEnds are the ends of each combination of tracks.
func (p *Program) allEnds() *ends {
	n := len(p.paths)
	e := &ends{kinds: make([][]*path, n), ways: map[string][]*attendance{}, begun: map[string]bool{}}
	tracks, runs := make([][]*path, n), 1
	for t, paths := range p.paths {
		e.kinds[t], _ = unwind.Kinds(paths, meeting.alike)
		tracks[t] = tracksAmong(e.kinds[t])
		if runs *= len(tracks[t]); runs > mostRuns {
			return nil
		}
	}
	seen, complete := map[string]bool{}, true
	m := meetings{asked: &patience{ctx: context.Background(), most: mostSteps}, wanted: func(a *attendance) bool {
		return e.taken(a) != nil
	}, found: func(a *attendance) bool {
		which := e.taken(a)
		if end := keyOf(which) + a.history(); !seen[end] {
			seen[end] = true
			e.add(which, a)
		}
		return true
	}}
	unwind.Combine(tracks, nil, func(_ int, paths []*path) bool {
		complete = m.all(p.attendance(slices.Clone(paths)))
		return complete
	})
	if !complete {
		return nil
	}
	return e
}

// tracksAmong are those of a thread's paths that go on to where others wait for ever.
func tracksAmong(kinds []*path) (tracks []*path) {
	for _, p := range kinds {
		if !slices.ContainsFunc(kinds, func(q *path) bool { return goesOn(p, q) }) {
			tracks = append(tracks, p)
		}
	}
	return tracks
}

// goesOn reports that a path waits for ever at a meeting that another goes through, or goes through before it waits for ever.
func goesOn(p, q *path) bool {
	n := len(p.Meetings)
	return (n < len(q.Meetings) || q.Ending != event.EndlessWait) && waitsOn(p, q, n)
}

// waitsOn reports that a path waits for ever at the n-th meeting of another, until which it does the same.
func waitsOn(p, q *path, n int) bool {
	return p.Ending == event.EndlessWait && len(p.Meetings) == n && n <= len(q.Meetings) && slices.EqualFunc(p.Meetings, q.Meetings[:n], meeting.alike)
}

// taken is the kinds of the paths that threads have taken which can go no further; nil if there are no such paths.
func (e *ends) taken(a *attendance) (which []int) {
	for t, track := range a.paths {
		i := slices.IndexFunc(e.kinds[t], func(p *path) bool {
			if a.in[t] >= 0 {
				return waitsOn(p, track, a.done[t]+1)
			}
			return p == track && p.Ending != event.EndlessWait
		})
		if i < 0 {
			return nil
		}
		which = append(which, i)
	}
	return which
}

// add adds a way to meet.
func (e *ends) add(which []int, a *attendance) {
	for t := range which {
		e.begun[keyOf(which[:t+1])] = true
	}
	e.ways[keyOf(which)] = append(e.ways[keyOf(which)], a)
}

// keyOf is numbers as a key.
func keyOf(numbers []int) string {
	var key []byte
	for _, n := range numbers {
		key = varint.AppendUvarint(key, uint64(n))
	}
	return string(key)
}

// possible reports, for unwind.Combine, whether the first threads may take some paths; nil if the ends are not known.
func (e *ends) possible(threads [][]*path) func(thread int, which []int) bool {
	if e == nil {
		return nil
	}
	kind := make([][]int, len(threads))
	for t, paths := range threads {
		for _, p := range paths {
			kind[t] = append(kind[t], e.kindOf(t, p))
		}
	}
	return func(thread int, which []int) bool {
		kinds := make([]int, thread+1)
		for t := range kinds {
			kinds[t] = kind[t][which[t]]
		}
		return slices.Contains(kinds, unknown) || e.begun[keyOf(kinds)]
	}
}

// unknown is the kind of what is no path of the program, but of one in which other threads come to no barrier.
const unknown = -1

// kindOf is the kind of a path of a thread.
func (e *ends) kindOf(t int, p *path) int {
	return slices.IndexFunc(e.kinds[t], func(q *path) bool { return p.MeetsAs(q, meeting.alike) })
}

// gather calls found with each way in which threads that take some paths meet. It stops when found returns false, or when it is told to.
func (p *Program) gather(paths []*path, asked *patience, found func(*attendance) bool) bool {
	e := p.ends()
	if e == nil {
		return p.attend(paths, asked, found)
	}
	which := make([]int, len(paths))
	for t, path := range paths {
		which[t] = e.kindOf(t, path)
	}
	if slices.Contains(which, unknown) {
		return p.attend(paths, asked, found)
	}
	for _, way := range e.ways[keyOf(which)] {
		a := *way
		if a.paths = paths; !found(&a) {
			return false
		}
	}
	return true
}

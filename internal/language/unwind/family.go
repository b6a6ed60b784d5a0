package unwind

import (
	"encoding/binary"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// mostTogether is how many combinations of paths of a team are looked at.
const mostTogether = 1 << 12

// Meeting is how threads meet. Paths are one of each thread.
type Meeting[M any, U comparable] struct {
	Unit func(thread int, m M) U           // where a thread comes to a meeting: it meets those that come to the same unit
	Ways func([]*Path[M]) int              // in how many ways threads can meet; of more than one, two are enough
	Join func([]*Path[M]) *event.Structure // what they make, of those that can in one way
	Over func() bool                       // nobody waits for an answer any more
	// Turns is what a path of a thread says of the barriers that wait for it; nil if nothing is known of that.
	Turns func(thread int, p *Path[M]) []Turns[U]
	Alike func(m, n M) bool // meetings are the same to those who meet, wherever they are on their paths
	// Ends reports, for Combine, whether threads may take some paths, if that is known; it is nil, or returns nil, if not.
	Ends func(threads [][]*Path[M]) func(thread int, which []int) bool
}

// Family is the structures of threads as a family: a team is threads that come to one unit, directly or by way of others. It is nil if
// a team can meet in several ways by the same paths, or has too many, or nobody waits for an answer any more.
func Family[M any, U comparable](threads [][]*Path[M], how *Meeting[M, U]) *event.Family {
	of := map[*event.Path]*Path[M]{}
	for _, paths := range threads {
		for _, p := range paths {
			of[p.Path] = p
		}
	}
	f := &event.Family{Join: func(taken []*event.Path) *event.Structure {
		paths := make([]*Path[M], len(taken))
		for t, p := range taken {
			paths[t] = of[p]
		}
		return how.Join(paths)
	}}
	for _, team := range how.teams(threads) {
		takes, ok := how.takes(threads, team)
		if !ok {
			return nil
		}
		f.Teams = append(f.Teams, event.Team{Threads: team, Takes: takes})
	}
	return f
}

// teams are the threads by where they come to.
func (how *Meeting[M, U]) teams(threads [][]*Path[M]) (all [][]int) {
	meet, first := rel.New(len(threads)), map[U]int{}
	for t, paths := range threads {
		for _, p := range paths {
			for _, m := range p.Meetings {
				unit := how.Unit(t, m)
				if _, known := first[unit]; !known {
					first[unit] = t
				}
				meet.Add(t, first[unit])
			}
		}
	}
	together := meet.Union(meet.Inverse()).Star()
	for t := range threads {
		if team := together.Row(t).Elems(); team[0] == t {
			all = append(all, team)
		}
	}
	return all
}

// takes is what the threads of a team may take together, whatever others do: those come to none of its meetings. Which paths that is depends on
// what they do at meetings alone.
func (how *Meeting[M, U]) takes(threads [][]*Path[M], team []int) (all []event.Take, ok bool) {
	alike, some, meet := make([][][]*event.Path, len(threads)), make([][]*Path[M], len(threads)), false
	for t := range threads {
		some[t] = []*Path[M]{{Path: &event.Path{}}}
	}
	for _, t := range team {
		some[t], alike[t] = how.histories(threads[t])
		meet = meet || Meet(threads[t])
	}
	may, visited := how.ends(some), 0
	if may == nil {
		may = how.agreeing(some)
	}
	ok = true
	Combine(some, may, func(_ int, paths []*Path[M]) bool {
		ways := 1
		if visited++; meet {
			ways = how.Ways(paths)
		}
		if ways == 1 {
			take := make(event.Take, len(team))
			for i, t := range team {
				take[i] = alike[t][slices.Index(some[t], paths[t])]
			}
			all = append(all, take)
		}
		ok = ways < 2 && visited <= mostTogether && !how.Over()
		return ok
	})
	return all, ok
}

// histories are the paths of a thread by what it does at meetings: one of each kind, and all of that kind.
func (how *Meeting[M, U]) histories(paths []*Path[M]) (one []*Path[M], alike [][]*event.Path) {
	one, kind := Kinds(paths, how.Alike)
	alike = make([][]*event.Path, len(one))
	for i, p := range paths {
		alike[kind[i]] = append(alike[kind[i]], p.Path)
	}
	return one, alike
}

// Kinds are the paths of a thread by what it does at meetings: one of each kind, without what it does for the sake of races, and of which kind each
// is.
func Kinds[M any](paths []*Path[M], alike func(m, n M) bool) (one []*Path[M], kind []int) {
	for _, p := range paths {
		i := slices.IndexFunc(one, func(q *Path[M]) bool { return p.MeetsAs(q, alike) })
		if i < 0 {
			busy := *p.Path
			busy.Idle = nil
			i, one = len(one), append(one, &Path[M]{&busy, p.Meetings})
		}
		kind = append(kind, i)
	}
	return one, kind
}

// MeetsAs reports that paths do the same at meetings.
func (p *Path[M]) MeetsAs(q *Path[M], alike func(m, n M) bool) bool {
	return (p.Ending == event.EndlessWait) == (q.Ending == event.EndlessWait) && slices.EqualFunc(p.Meetings, q.Meetings, alike)
}

// Possible reports, for Combine, whether each team may take what it takes, as far as paths tell, and for sure as soon as its last thread has a
// path. It is nil if nothing is left out by knowing that beforehand.
func (how *Meeting[M, U]) Possible(threads [][]*Path[M]) func(thread int, which []int) bool {
	if may := how.ends(threads); may != nil {
		return may
	}
	agree, apart := how.agreeing(threads), how.possible(threads)
	switch {
	case agree == nil:
		return apart
	case apart == nil:
		return agree
	}
	return func(thread int, which []int) bool { return agree(thread, which) && apart(thread, which) }
}

// ends is what Ends says, if anything.
func (how *Meeting[M, U]) ends(threads [][]*Path[M]) func(thread int, which []int) bool {
	if how.Ends == nil {
		return nil
	}
	return how.Ends(threads)
}

// possible reports whether each team may take what it takes, as soon as its last thread has a path. It is nil where threads that meet are one
// team, or none.
func (how *Meeting[M, U]) possible(threads [][]*Path[M]) func(thread int, which []int) bool {
	teams := slices.DeleteFunc(how.teams(threads), func(team []int) bool {
		return !slices.ContainsFunc(team, func(t int) bool { return Meet(threads[t]) })
	})
	if len(teams) < 2 {
		return nil
	}
	nobody := &Path[M]{Path: &event.Path{}}
	paths, key := slices.Repeat([]*Path[M]{nobody}, len(threads)), []byte(nil)
	known := map[string]bool{}
	return func(thread int, which []int) bool {
		i := slices.IndexFunc(teams, func(team []int) bool { return team[len(team)-1] == thread })
		if i < 0 || how.Over() {
			return true
		}
		key = key[:0]
		for _, t := range teams[i] {
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(t)), uint64(which[t]))
		}
		may, asked := known[string(key)]
		if !asked {
			for _, t := range teams[i] {
				paths[t] = threads[t][which[t]]
			}
			may = how.Ways(paths) > 0
			known[string(key)] = may
			for _, t := range teams[i] {
				paths[t] = nobody
			}
		}
		return may
	}
}

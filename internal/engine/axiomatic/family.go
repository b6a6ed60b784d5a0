package axiomatic

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
)

// A family has one structure per combination of paths: too many to list for twenty threads. The
// union of a family has few events, because paths that begin alike share them. It is made from
// sample members that together contain whatever each team may take.

// Fate is how the threads of a structure end. Structures of one fate are explored together.
type Fate uint8

// The fates. A structure that is cut off may also have a thread that never ends.
const (
	Ending Fate = iota
	Endless
	CutOff
)

// fateOf returns the fate that a path with such an ending gives a structure. The fate of a
// structure is the latest one of its paths.
func fateOf(e event.Ending) Fate {
	switch e {
	case event.Complete:
		return Ending
	case event.Truncated:
		return CutOff
	}
	return Endless
}

// mostEvents bounds the events of the union of a family, and mostMembers the members that it is
// made from.
const (
	mostEvents  = 1024
	mostMembers = 1 << 13
)

// uniteFamily returns the union of the structures of a family with one fate, or nil if there are no
// such structures. ok is false if the union would be too large or the structures do not fit
// together.
func uniteFamily(f *event.Family, of Fate) (u *union, ok bool) {
	part := f.Only(func(p *event.Path) bool { return fateOf(p.Ending) <= of })
	if part == nil || !part.Any(func(p *event.Path) bool { return fateOf(p.Ending) == of }) {
		return nil, true
	}
	if u, ok = uniteAll(part, mostEvents); ok {
		u.Truncated, u.Stuck, u.anyhow = of == CutOff, of == Endless, false
	}
	return u, ok
}

// uniteAll returns the union of all structures of a family, with at most mostEvents events.
func uniteAll(f *event.Family, mostEvents int) (u *union, ok bool) {
	members := membersOf(f)
	if len(members) > mostMembers {
		return nil, false
	}
	all := make([]*event.Structure, len(members))
	for i, taken := range members {
		if all[i] = f.Join(taken); all[i].Asynchronous() {
			return nil, false
		}
	}
	if u, ok = uniteUpTo(mostEvents, all); ok {
		u.family, u.anyhow, u.teams = f, true, nil
		u.which = make([]map[*event.Path]int, len(u.paths))
		for t := range u.which {
			u.which[t] = map[*event.Path]int{}
			for i, taken := range members {
				u.which[t][taken[t]] = u.members[i].takes[t]
			}
		}
		for i := range f.Teams {
			u.teams = append(u.teams, u.teamOf(&f.Teams[i]))
		}
	}
	return u, ok
}

// membersOf returns sample members, each with the paths of all threads. Any two paths that threads
// of one team may take together occur together in one sample.
func membersOf(f *event.Family) (members [][]*event.Path) {
	samples := make([][][]*event.Path, len(f.Teams))
	most, threads := 0, 0
	for i, team := range f.Teams {
		for _, take := range team.Takes {
			samples[i] = append(samples[i], pairings(take)...)
		}
		most, threads = max(most, len(samples[i])), threads+len(team.Threads)
	}
	members = make([][]*event.Path, most)
	for m := range members {
		members[m] = make([]*event.Path, threads)
		for i, team := range f.Teams {
			for j, p := range samples[i][min(m, len(samples[i])-1)] {
				members[m][team.Threads[j]] = p
			}
		}
	}
	return members
}

// pairings returns samples of one path per thread, such that any two paths of two threads occur
// together in one. With a prime p, p² samples suffice: in sample (i, j), the k-th thread takes path
// i+kj modulo p, and two paths of two threads determine i and j.
func pairings(take event.Take) (all [][]*event.Path) {
	most, several := 1, 0
	for _, paths := range take {
		if most = max(most, len(paths)); len(paths) > 1 {
			several++
		}
	}
	p, more := most, 1
	if several > 1 {
		p = primeFrom(max(most, several))
		more = p
	}
	for i := range p {
		for j := range more {
			way, k := make([]*event.Path, len(take)), 0
			for t, paths := range take {
				way[t] = paths[(i+k*j)%p%len(paths)]
				if len(paths) > 1 {
					k++
				}
			}
			all = append(all, way)
		}
	}
	return all
}

// primeFrom returns the least prime number ≥ n, for n ≥ 2.
func primeFrom(n int) int {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return primeFrom(n + 1)
		}
	}
	return n
}

// teamOf returns a team of the family with the path numbers of the union.
func (u *union) teamOf(f *event.Team) team {
	of := team{threads: f.Threads}
	for _, take := range f.Takes {
		some := make([][]int, len(take))
		for i, paths := range take {
			for _, p := range paths {
				some[i] = append(some[i], u.which[f.Threads[i]][p])
			}
		}
		of.takes = append(of.takes, some)
	}
	return of
}

// endAsAsked makes some thread take a path whose ending has the fate of the union.
func (u *union) endAsAsked(c *circuit, p *presence) {
	of := Ending
	switch {
	case u.Truncated:
		of = CutOff
	case u.Stuck:
		of = Endless
	}
	var some []sat.Lit
	for t, paths := range u.paths {
		for i := range paths {
			if fateOf(paths[i].of.Ending) == of {
				some = append(some, p.taken[t][i])
			}
		}
	}
	c.Add(some...)
}

// memberOf returns the structure of a family with the given path of each thread.
func (u *union) memberOf(taken []int) *member {
	m := &member{takes: taken}
	for e := range u.First[0] {
		m.at = append(m.at, e)
	}
	paths := make([]*event.Path, len(taken))
	for t, which := range taken {
		m.at = append(m.at, u.paths[t][which].events...)
	}
	for i := range u.family.Teams {
		u.takePaths(&u.family.Teams[i], taken, paths)
	}
	m.Structure = u.family.Join(paths)
	return m
}

// takePaths sets the paths of a team's threads to those taken. A path of the union may stand for
// several paths of the family, which differ only in the paths that other threads may take with
// them.
func (u *union) takePaths(f *event.Team, taken []int, paths []*event.Path) {
	for _, take := range f.Takes {
		together := true
		for i, t := range f.Threads {
			j := slices.IndexFunc(take[i], func(p *event.Path) bool { return u.which[t][p] == taken[t] })
			if together = together && j >= 0; together {
				paths[t] = take[i][j]
			}
		}
		if together {
			return
		}
	}
}

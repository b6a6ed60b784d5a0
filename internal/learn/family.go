package learn

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/prove/sat"
)

// The structures of a family are as many as combinations of paths, which of twenty threads nobody can list. Their union has as
// many events as paths have that do not begin alike, and is made from members that have whatever each team may take once.

// Extent is which structures of a family are asked about together.
type Extent uint8

// The extents. Of structures that are cut off, some thread may never end, too.
const (
	Ending Extent = iota
	Endless
	CutOff
)

// extentOf is the extent of structures that have a path with such an ending, and no others that have more.
func extentOf(e event.Ending) Extent {
	switch e {
	case event.Complete:
		return Ending
	case event.Truncated:
		return CutOff
	}
	return Endless
}

// mostEvents is how many events the union of a family may have.
const mostEvents = 1024

// uniteFamily is the union of the structures of a family to some extent, nil if there are none. ok is false if it would be too big, or
// they do not fit together.
func uniteFamily(f *event.Family, of Extent) (u *union, ok bool) {
	part := f.Only(func(p *event.Path) bool { return extentOf(p.Ending) <= of })
	if part == nil || !part.Any(func(p *event.Path) bool { return extentOf(p.Ending) == of }) {
		return nil, true
	}
	if u, ok = uniteAll(part, mostEvents); ok {
		u.Truncated, u.Stuck, u.anyhow = of == CutOff, of == Endless, false
	}
	return u, ok
}

// uniteAll is the union of all structures of a family, with so many events at most.
func uniteAll(f *event.Family, mostEvents int) (u *union, ok bool) {
	most, threads := 0, 0
	for _, team := range f.Teams {
		most, threads = max(most, len(team.Takes)), threads+len(team.Threads)
	}
	members := make([]*event.Structure, most)
	for i := range members {
		taken := make([]*event.Path, threads)
		for _, team := range f.Teams {
			for j, p := range team.Takes[min(i, len(team.Takes)-1)] {
				taken[team.Threads[j]] = p
			}
		}
		if members[i] = f.Join(taken); asynchronous(members[i]) {
			return nil, false
		}
	}
	if u, ok = uniteUpTo(mostEvents, members); ok {
		u.family, u.anyhow, u.teams = f, true, nil
		for _, team := range f.Teams {
			u.teams = append(u.teams, team.Threads)
		}
	}
	return u, ok
}

// endAsAsked has a thread take a path that ends in the way to which a union of a family is asked about.
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
			if extentOf(paths[i].of.Ending) == of {
				some = append(some, p.taken[t][i])
			}
		}
	}
	c.Add(some...)
}

// memberOf is the structure of a family whose paths are taken.
func (u *union) memberOf(taken []int) *member {
	m := &member{takes: taken}
	for e := range u.First[0] {
		m.at = append(m.at, e)
	}
	paths := make([]*event.Path, len(taken))
	for t, which := range taken {
		paths[t] = u.paths[t][which].of
		m.at = append(m.at, u.paths[t][which].events...)
	}
	m.Structure = u.family.Join(paths)
	return m
}

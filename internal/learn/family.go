package learn

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/prove/sat"
	"github.com/muster-gpu/muster/internal/symmetry"
)

// The structures of a family are as many as combinations of paths, which of twenty threads nobody can list. Their union has as
// many events as paths have that do not begin alike, and is made from members that have each path once.

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
// the structures are more than their paths.
func uniteFamily(f *event.Family, of Extent) (u *union, ok bool) {
	some := false
	paths := make([][]*event.Path, len(f.Paths))
	for t, all := range f.Paths {
		for _, p := range all {
			if x := extentOf(p.Ending); x <= of {
				paths[t] = append(paths[t], p)
				some = some || x == of
			}
		}
		if len(paths[t]) == 0 {
			return nil, true
		}
	}
	if !some {
		return nil, true
	}
	if u, ok = uniteAll(f, paths, mostEvents); ok {
		u.Truncated, u.Stuck, u.anyhow = of == CutOff, of == Endless, false
	}
	return u, ok
}

// uniteAll is the union of all structures of a family whose threads take certain paths, with so many events at most.
func uniteAll(f *event.Family, paths [][]*event.Path, mostEvents int) (u *union, ok bool) {
	most := 0
	for _, all := range paths {
		most = max(most, len(all))
	}
	members := make([]*event.Structure, most)
	for i := range members {
		taken := make([]*event.Path, len(paths))
		for t := range taken {
			taken[t] = paths[t][min(i, len(paths[t])-1)]
		}
		if members[i] = f.Join(taken); !symmetry.Apart(members[i]) {
			return nil, false
		}
	}
	if u, ok = uniteUpTo(mostEvents, members); ok {
		u.family, u.anyhow = f, true
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

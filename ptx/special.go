package ptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
)

// Special registers say where a thread is (PTX ISA, "Special Registers"). A test shows some
// threads of a grid; here they are all there are. Their numbers are those of the test's
// placement: in the order of the columns or of the scope tree, or as the header gives them.

// seat is where a thread is among the others.
type seat struct {
	event.Thread
	tid, lane            int // number in its CTA and in its warp
	warp, cta, cluster   int // numbers in the CTA, in the cluster and in the grid
	tids, warps, lanes   int // how many of them its CTA has, and its warp
	ctas, clusters, grid int // how many CTAs a cluster has, how many clusters the grid; its number
}

// findSeats finds the seats of all threads.
func (b *builder) findSeats() []seat {
	seats := make([]seat, len(b.prog.threads))
	var earlier, clusters, ctas different // warps of the CTA, clusters of the grid, CTAs of the cluster
	for i, t := range b.prog.threads {
		s := seat{Thread: t, grid: t.Kernel}
		earlier, clusters, ctas = earlier[:0], clusters[:0], ctas[:0]
		for j, u := range b.prog.threads {
			switch {
			case u.CTA == t.CTA:
				s.tids++
				if j < i {
					s.tid++
				}
				if u.Warp == t.Warp {
					s.lanes++
				}
				if u.Warp == t.Warp && j < i {
					s.lane++
				}
				if u.Warp < t.Warp {
					earlier.add(u.Warp)
				}
			case u.Kernel != t.Kernel:
			case u.Cluster < t.Cluster:
				clusters.add(u.Cluster)
			case u.Cluster == t.Cluster && u.CTA < t.CTA:
				ctas.add(u.CTA)
			}
		}
		s.warp, s.cluster, s.cta = len(earlier), len(clusters), len(ctas)
		s.asPlaced(b.test.Threads[i].Place)
		seats[i] = s
	}
	for i := range seats {
		seats[i].count(seats)
	}
	return seats
}

// different is numbers, each once: few.
type different []int

func (d *different) add(n int) {
	if !slices.Contains(*d, n) {
		*d = append(*d, n)
	}
}

// asPlaced takes the numbers that a header gives. A CTA without a cluster is one of its own.
func (s *seat) asPlaced(h *litmus.HeaderPlace) {
	switch {
	case h == nil || h.CTA < 0:
	case h.Cluster < 0:
		s.cluster, s.cta = h.CTA, 0
	default:
		s.cluster, s.cta = h.Cluster, h.CTA
	}
}

// count finds how many warps, CTAs and clusters there are.
func (s *seat) count(seats []seat) {
	for _, o := range seats {
		if o.CTA == s.CTA {
			s.warps = max(s.warps, o.warp+1)
		}
		if o.Kernel == s.Kernel {
			s.ctas, s.clusters = max(s.ctas, o.cta+1), max(s.clusters, o.cluster+1)
		}
	}
}

// specials are the special registers of one dimension, and of three those in x: in y and z
// everything is one wide.
var (
	specials = map[string]func(s *seat) int{
		"%laneid":           func(s *seat) int { return s.lane },
		"%warpid":           func(s *seat) int { return s.warp },
		"%nwarpid":          func(s *seat) int { return s.warps },
		"%gridid":           func(s *seat) int { return s.grid },
		"%cluster_ctarank":  func(s *seat) int { return s.cta },
		"%cluster_nctarank": func(s *seat) int { return s.ctas },
		"%lanemask_eq":      func(s *seat) int { return 1 << s.lane },
		"%lanemask_lt":      func(s *seat) int { return 1<<s.lane - 1 },
		"%lanemask_le":      func(s *seat) int { return 2<<s.lane - 1 },
		"%lanemask_gt":      func(s *seat) int { return -2 << s.lane },
		"%lanemask_ge":      func(s *seat) int { return -1 << s.lane },
		"WARP_SZ":           func(*seat) int { return warpSize },
	}
	numbers = map[string]func(s *seat) int{
		"%tid":           func(s *seat) int { return s.tid },
		"%ctaid":         func(s *seat) int { return s.cluster*s.ctas + s.cta },
		"%clusterid":     func(s *seat) int { return s.cluster },
		"%cluster_ctaid": func(s *seat) int { return s.cta },
	}
	extents = map[string]func(s *seat) int{
		"%ntid":           func(s *seat) int { return s.tids },
		"%nctaid":         func(s *seat) int { return s.clusters * s.ctas },
		"%nclusterid":     func(s *seat) int { return s.clusters },
		"%cluster_nctaid": func(s *seat) int { return s.ctas },
	}
)

// special is the value of a special register; false if the name is none.
func (s *seat) special(name string) (int64, bool) {
	if value := specials[name]; value != nil {
		return int64(int32(value(s))), true
	}
	name, dimension, _ := strings.Cut(name, ".")
	value, along := numbers[name], 0
	if value == nil {
		value, along = extents[name], 1
	}
	switch {
	case value == nil || len(dimension) != 1 || !strings.Contains("xyz", dimension):
		return 0, false
	case dimension != "x":
		return int64(along), true
	}
	return int64(value(s)), true
}

// specialNames lists the special registers, sorted.
func specialNames() (names []string) {
	for name := range specials {
		names = append(names, name)
	}
	for _, table := range []map[string]func(*seat) int{numbers, extents} {
		for name := range table {
			for _, dimension := range "xyz" {
				names = append(names, fmt.Sprintf("%s.%c", name, dimension))
			}
		}
	}
	slices.Sort(names)
	return names
}

package frontend

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
)

// Seat is the place of a thread of a GPU among the others. A test shows some threads of a grid;
// Seat takes them to be the whole grid. The numbers are those of the test's placement: in the order
// of the threads or of the scope tree, or as the header gives them.
type Seat struct {
	Thread event.Thread

	Tid, Lane       int // its number in its CTA and in its warp
	Warp            int // the number of its warp in the CTA,
	Rank            int // of its CTA in the cluster,
	Cluster         int // of its cluster in the grid,
	Grid            int // and of the grid
	Tids            int // the number of threads of each CTA of its grid: that of the largest, since all have equally many
	Lanes           int // the number of threads of its warp
	Warps           int // the number of warps of its CTA
	Ranks, Clusters int // the numbers of CTAs of a cluster, and of clusters of its grid
}

// Block returns the number of its CTA in the grid.
func (s *Seat) Block() int { return s.Cluster*s.Ranks + s.Rank }

// Blocks returns the number of CTAs in the grid of the thread.
func (s *Seat) Blocks() int { return s.Clusters * s.Ranks }

// Threads returns the threads of a test, where its placement puts them.
func Threads(test *litmus.Test) []event.Thread {
	threads := make([]event.Thread, len(test.Threads))
	for i, p := range test.Places() {
		threads[i] = event.Thread{Name: test.Threads[i].Name.Text, At: p}
	}
	return threads
}

// Seats finds the seats of the threads of a test for litmus.GPU.
func Seats(test *litmus.Test, threads []event.Thread) []Seat {
	seats := make([]Seat, len(threads))
	var earlier, clusters, ranks different // warps of the CTA, clusters of the grid, CTAs of the cluster
	for i, t := range threads {
		s := Seat{Thread: t, Grid: t.At[litmus.Kernel]}
		earlier, clusters, ranks = earlier[:0], clusters[:0], ranks[:0]
		for j, u := range threads {
			switch {
			case u.At[litmus.CTA] == t.At[litmus.CTA]:
				if j < i {
					s.Tid++
				}
				mine, other := t.At[litmus.Warp], u.At[litmus.Warp]
				if other == mine {
					s.Lanes++
				}
				if other == mine && j < i {
					s.Lane++
				}
				if other < mine {
					earlier.add(other)
				}
			case u.At[litmus.Kernel] != t.At[litmus.Kernel]:
			case u.At[litmus.Cluster] < t.At[litmus.Cluster]:
				clusters.add(u.At[litmus.Cluster])
			case u.At[litmus.Cluster] == t.At[litmus.Cluster] && u.At[litmus.CTA] < t.At[litmus.CTA]:
				ranks.add(u.At[litmus.CTA])
			}
		}
		s.Warp, s.Cluster, s.Rank = len(earlier), len(clusters), len(ranks)
		s.asPlaced(test.Threads[i].Place)
		seats[i] = s
	}
	for i := range seats {
		seats[i].count(seats)
	}
	return seats
}

// different are distinct numbers: few.
type different []int

func (d *different) add(n int) {
	if !slices.Contains(*d, n) {
		*d = append(*d, n)
	}
}

// asPlaced sets the numbers that a header gives. A CTA without a cluster is a cluster of its own.
func (s *Seat) asPlaced(h *litmus.HeaderPlace) {
	if h == nil {
		return
	}
	switch cluster, cta := h.Numbers[litmus.Cluster], h.Numbers[litmus.CTA]; {
	case cta < 0:
	case cluster < 0:
		s.Cluster, s.Rank = cta, 0
	default:
		s.Cluster, s.Rank = cluster, cta
	}
}

// count computes the numbers of warps, CTAs and clusters.
func (s *Seat) count(seats []Seat) {
	for _, o := range seats {
		if o.Thread.At[litmus.CTA] == s.Thread.At[litmus.CTA] {
			s.Warps = max(s.Warps, o.Warp+1)
		}
		if o.Thread.At[litmus.Kernel] == s.Thread.At[litmus.Kernel] {
			s.Tids = max(s.Tids, o.Tid+1)
			s.Ranks, s.Clusters = max(s.Ranks, o.Rank+1), max(s.Clusters, o.Cluster+1)
		}
	}
}

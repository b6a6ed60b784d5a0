package unwind

import (
	"math"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// Combine visits every combination of one path of each thread, until visit returns false; the paths of
// the last thread vary fastest. Of paths with an idle round, that of one thread suffices (rounds.go).
// The slice belongs to Combine.
func Combine[M any](threads [][]*Path[M], visit func([]*Path[M]) bool) {
	choice := make([]*Path[M], len(threads))
	var choose func(t int, idle bool) bool
	choose = func(t int, idle bool) bool {
		if t == len(threads) {
			return visit(choice)
		}
		for _, path := range threads[t] {
			if idle && path.Idles() {
				continue
			}
			choice[t] = path
			if !choose(t+1, idle || path.Idles()) {
				return false
			}
		}
		return true
	}
	choose(0, false)
}

// Combinations is how many combinations Combine visits; math.MaxInt if there are more.
func Combinations[M any](threads [][]*Path[M]) int {
	busy, one := 1, 0 // without an idle round, and with one
	for _, paths := range threads {
		idle := 0
		for _, path := range paths {
			if path.Idles() {
				idle++
			}
		}
		others := len(paths) - idle
		one = plus(times(one, others), times(busy, idle))
		busy = times(busy, others)
	}
	return plus(one, busy)
}

// plus adds two counts; math.MaxInt if that is too much.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// times multiplies two counts; math.MaxInt if that is too much.
func times(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// MostEvents is the number of events of the longest combination.
func MostEvents[M any](threads [][]*Path[M]) int {
	n := 0
	for _, paths := range threads {
		longest := 0
		for _, path := range paths {
			longest = max(longest, len(path.Events))
		}
		n += longest
	}
	return n
}

// Meet reports that some of these paths come to barriers.
func Meet[M any](paths []*Path[M]) bool {
	return slices.ContainsFunc(paths, func(p *Path[M]) bool { return len(p.Meetings) > 0 })
}

// Plain is paths without where they meet others.
func Plain[M any](paths []*Path[M]) []*event.Path {
	plain := make([]*event.Path, len(paths))
	for i, p := range paths {
		plain[i] = p.Path
	}
	return plain
}

// Family is the structures that join makes of threads; nil if they meet at barriers.
func Family[M any](threads [][]*Path[M], join func([]*event.Path) *event.Structure) *event.Family {
	if slices.ContainsFunc(threads, Meet[M]) {
		return nil
	}
	f := &event.Family{Join: join}
	for _, paths := range threads {
		f.Paths = append(f.Paths, Plain(paths))
	}
	return f
}

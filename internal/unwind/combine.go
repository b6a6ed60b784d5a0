package unwind

import "math"

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
			if idle && path.Idle {
				continue
			}
			choice[t] = path
			if !choose(t+1, idle || path.Idle) {
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
			if path.Idle {
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

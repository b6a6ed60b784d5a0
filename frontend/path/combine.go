package path

import "math"

// combine visits every combination of one path of each thread, by number, until visit returns
// false; the paths of the last thread vary fastest. A combination contains at most one path with an
// idle round (rounds.go). number is the number of combinations that come before one. may reports
// whether the threads up to one may take their paths, and nil allows all; combine leaves out
// combinations that begin with paths that they may not take. visit must not keep the slice.
func combine(threads [][]*Path, may func(thread int, which []int) bool, visit func(number int, which []int) bool) {
	left := left(threads)
	which := make([]int, len(threads))
	// choose chooses a path of thread t and continues with the others. idle is the number of
	// earlier threads with an idle round, and number is the number of the first combination.
	var choose func(t, idle, number int) bool
	choose = func(t, idle, number int) bool {
		if t == len(threads) {
			return visit(number, which)
		}
		for i, path := range threads[t] {
			now := idle
			if path.Idles() {
				now++
			}
			if now > 1 {
				continue
			}
			which[t] = i
			if (may == nil || may(t, which)) && !choose(t+1, now, number) {
				return false
			}
			number = plus(number, left[t+1].after(now))
		}
		return true
	}
	choose(0, 0, 0)
}

// combinations are numbers of combinations of paths of some threads.
type combinations struct{ busy, one int } // without an idle round, and with one

// after returns the number of combinations, given the number of other threads with an idle round.
func (n combinations) after(idle int) int {
	if idle > 0 {
		return n.busy
	}
	return plus(n.busy, n.one)
}

// left returns, by thread, the number of combinations of it and the threads after it.
func left(threads [][]*Path) []combinations {
	left := make([]combinations, len(threads)+1)
	left[len(threads)].busy = 1
	for t := len(threads) - 1; t >= 0; t-- {
		idle := 0
		for _, path := range threads[t] {
			if path.Idles() {
				idle++
			}
		}
		others, next := len(threads[t])-idle, left[t+1]
		left[t] = combinations{times(next.busy, others), plus(times(next.one, others), times(next.busy, idle))}
	}
	return left
}

// combinationsOf returns the number of combinations, at most math.MaxInt.
func combinationsOf(threads [][]*Path) int { return left(threads)[0].after(0) }

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

package unwind

import (
	"math"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// Combine visits every combination of one path of each thread, until visit returns false; the paths of
// the last thread vary fastest. Of paths with an idle round, that of one thread suffices (rounds.go). number is how many combinations
// come before one. may, unless it is nil, reports whether threads may take what those up to one take, by the numbers of their paths:
// else all combinations that go on so are left out.
// The slice belongs to Combine.
func Combine[M any](threads [][]*Path[M], may func(thread int, which []int) bool, visit func(number int, paths []*Path[M]) bool) {
	c := &combining[M]{
		threads: threads, may: may, visit: visit, chosen: make([]*Path[M], len(threads)), which: make([]int, len(threads)), left: left(threads),
	}
	c.choose(0, 0, 0)
}

// combining is a visit of combinations.
type combining[M any] struct {
	threads [][]*Path[M]
	may     func(thread int, which []int) bool
	visit   func(number int, paths []*Path[M]) bool
	chosen  []*Path[M]
	which   []int // the same, by number
	left    []combinations
}

// choose chooses the path of a thread, where so many before it have an idle round, and goes on with the others. number is that of the first
// combination. It returns false if no more is wanted.
func (c *combining[M]) choose(t, idle, number int) bool {
	if t == len(c.threads) {
		return c.visit(number, c.chosen)
	}
	for i, path := range c.threads[t] {
		now := idle
		if path.Idles() {
			now++
		}
		if now > 1 {
			continue
		}
		c.chosen[t], c.which[t] = path, i
		if (c.may == nil || c.may(t, c.which)) && !c.choose(t+1, now, number) {
			return false
		}
		number = plus(number, c.left[t+1].after(now))
	}
	return true
}

// combinations is how many combinations there are of some threads.
type combinations struct{ busy, one int } // without an idle round, and with one

// after is how many there are where so many other threads have an idle round.
func (n combinations) after(idle int) int {
	if idle > 0 {
		return n.busy
	}
	return plus(n.busy, n.one)
}

// left is, by thread, how many combinations there are of that and those after it.
func left[M any](threads [][]*Path[M]) []combinations {
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

// Combinations is how many combinations Combine visits; math.MaxInt if there are more.
func Combinations[M any](threads [][]*Path[M]) int { return left(threads)[0].after(0) }

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

package launch

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Schedule chooses the thread that runs next and the maximal number of its instructions. Threads
// are numbered block by block; ready is sorted and never empty.
type Schedule interface {
	Next(ready []int) (thread, steps int)
}

// InOrder runs threads one after the other, each until it ends or waits: the given ones first, in
// their order, then the others.
func InOrder(first ...int) Schedule { return inOrder(first) }

type inOrder []int

func (o inOrder) Next(ready []int) (int, int) {
	for _, t := range o {
		if _, ok := slices.BinarySearch(ready, t); ok {
			return t, math.MaxInt
		}
	}
	return ready[0], math.MaxInt
}

// Together alternates between some threads, a few instructions each, and runs others only when none
// of these can go on.
func Together(threads ...int) Schedule { return &together{threads: threads} }

type together struct {
	threads []int
	turn    int
}

func (o *together) Next(ready []int) (int, int) {
	for range o.threads {
		o.turn++
		t := o.threads[o.turn%len(o.threads)]
		if _, ok := slices.BinarySearch(ready, t); ok {
			return t, 16
		}
	}
	return ready[0], math.MaxInt
}

// RoundRobin runs one instruction of each thread in turn.
func RoundRobin() Schedule { return &roundRobin{last: -1} }

type roundRobin struct{ last int }

func (r *roundRobin) Next(ready []int) (int, int) {
	i, _ := slices.BinarySearch(ready, r.last+1)
	r.last = ready[i%len(ready)]
	return r.last, 1
}

// Random chooses threads, and the numbers of their instructions, from a seed.
func Random(seed uint64) Schedule { return random{rand.New(rand.NewPCG(seed, 0))} }

type random struct{ *rand.Rand }

func (r random) Next(ready []int) (int, int) { return ready[r.IntN(len(ready))], 1 + r.IntN(8) }

package unwind

import (
	"math"
	"slices"
)

// Paths that end at a barrier for ever, or that a barrier gives different results, are many: one for each turn of the thread at it. Most of
// them contradict the path of another thread alone.

// Turns is what a path says of the rounds of a barrier none of which completes before each of some threads has come to it. U is such a barrier.
type Turns[U comparable] struct {
	At      U
	Results []int64 // what the rounds gave the thread that it has got through, in their order
	Most    int     // how many rounds can complete at most: to no more it comes, or it waits for ever in the one after them; Any if others decide that
}

// Any number of rounds can complete without the thread.
const Any = math.MaxInt

// agree reports that two paths can be taken together, as far as they tell.
func agree[U comparable](p, q []Turns[U]) bool {
	for _, x := range p {
		for _, y := range q {
			common := min(len(x.Results), len(y.Results))
			if x.At == y.At && (len(x.Results) > y.Most || len(y.Results) > x.Most || !slices.Equal(x.Results[:common], y.Results[:common])) {
				return false
			}
		}
	}
	return true
}

// agreeing reports, for Combine, whether the path of a thread agrees with each that others before it have taken. It is nil if nothing is known of
// turns.
func (how *Meeting[M, U]) agreeing(threads [][]*Path[M]) func(thread int, which []int) bool {
	if how.Turns == nil {
		return nil
	}
	turns := make([][][]Turns[U], len(threads))
	for t, paths := range threads {
		turns[t] = make([][]Turns[U], len(paths))
		for i, p := range paths {
			turns[t][i] = how.Turns(t, p)
		}
	}
	return func(thread int, which []int) bool {
		if how.Over() {
			return true
		}
		last := turns[thread][which[thread]]
		for t := range thread {
			if !agree(turns[t][which[t]], last) {
				return false
			}
		}
		return true
	}
}

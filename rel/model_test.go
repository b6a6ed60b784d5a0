package rel_test

import (
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/rel"
)

// pairs is a relation in the simplest form, as a reference for the operations of package rel.
type pairs map[[2]int]bool

// elems is the same for sets.
type elems map[int]bool

// pairsWhere returns the pairs of n events that satisfy p.
func pairsWhere(n int, p func(a, b int) bool) pairs {
	r := pairs{}
	for a := range n {
		for b := range n {
			if p(a, b) {
				r[[2]int{a, b}] = true
			}
		}
	}
	return r
}

// elemsWhere returns the elements of n events that satisfy p.
func elemsWhere(n int, p func(e int) bool) elems {
	s := elems{}
	for e := range n {
		if p(e) {
			s[e] = true
		}
	}
	return s
}

func (r pairs) has(a, b int) bool { return r[[2]int{a, b}] }

// successors returns the successors of each event.
func (r pairs) successors() map[int][]int {
	next := map[int][]int{}
	for p := range r {
		next[p[0]] = append(next[p[0]], p[1])
	}
	return next
}

func (r pairs) compose(s pairs) pairs {
	t, next := pairs{}, s.successors()
	for p := range r {
		for _, c := range next[p[1]] {
			t[[2]int{p[0], c}] = true
		}
	}
	return t
}

// closure relates each event to those reachable from it.
func (r pairs) closure() pairs {
	t, next := pairs{}, r.successors()
	for a := range next {
		for todo := []int{a}; len(todo) > 0; {
			last := len(todo) - 1
			from := todo[last]
			todo = todo[:last]
			for _, b := range next[from] {
				if !t.has(a, b) {
					t[[2]int{a, b}] = true
					todo = append(todo, b)
				}
			}
		}
	}
	return t
}

func (r pairs) sorted() [][2]int {
	var list [][2]int
	for p := range r {
		list = append(list, p)
	}
	slices.SortFunc(list, func(p, q [2]int) int { return slices.Compare(p[:], q[:]) })
	return list
}

func (r pairs) rel(n int) rel.Rel { return rel.Of(n, r.sorted()...) }

func (s elems) sorted() []int {
	var list []int
	for e := range s {
		list = append(list, e)
	}
	slices.Sort(list)
	return list
}

func (s elems) set(n int) rel.Set { return rel.NewSet(n, s.sorted()...) }

// sameRel requires that every way to look at r shows exactly the pairs of want.
func sameRel(t *rapid.T, name string, r rel.Rel, want func(a, b int) bool) {
	t.Helper()
	var wanted, got [][2]int
	for a := range r.N() {
		for b := range r.N() {
			in := want(a, b)
			if in {
				wanted = append(wanted, [2]int{a, b})
			}
			if r.Has(a, b) != in || r.Row(a).Has(b) != in {
				t.Fatalf("%s: Has(%d, %d) is %v, in its row %v", name, a, b, r.Has(a, b), r.Row(a).Has(b))
			}
		}
	}
	for a, b := range r.Pairs() {
		got = append(got, [2]int{a, b})
	}
	if !slices.Equal(got, wanted) {
		t.Fatalf("%s: Pairs are %v, want %v", name, got, wanted)
	}
	if r.Len() != len(wanted) || r.Empty() != (len(wanted) == 0) {
		t.Fatalf("%s: Len is %d, Empty %v, want %d pairs", name, r.Len(), r.Empty(), len(wanted))
	}
	if !r.Equal(rel.Of(r.N(), wanted...)) {
		t.Fatalf("%s: %v is not Equal to the same pairs", name, r)
	}
}

// sameSet requires that every way to look at s shows exactly the elements of want.
func sameSet(t *rapid.T, name string, s rel.Set, want func(e int) bool) {
	t.Helper()
	var wanted []int
	for e := range s.N() {
		in := want(e)
		if in {
			wanted = append(wanted, e)
		}
		if s.Has(e) != in {
			t.Fatalf("%s: Has(%d) is %v", name, e, s.Has(e))
		}
	}
	if got := s.Elems(); !slices.Equal(got, wanted) {
		t.Fatalf("%s: Elems are %v, want %v", name, got, wanted)
	}
	if s.Len() != len(wanted) || s.Empty() != (len(wanted) == 0) {
		t.Fatalf("%s: Len is %d, Empty %v, want %d elements", name, s.Len(), s.Empty(), len(wanted))
	}
	if !s.Equal(rel.NewSet(s.N(), wanted...)) {
		t.Fatalf("%s: %v is not Equal to the same elements", name, s)
	}
}

// sizes are numbers of events: few, and around those for which a row needs two words of 64 bits and
// three.
var sizes = rapid.OneOf(rapid.IntRange(0, 10), rapid.IntRange(60, 70), rapid.SampledFrom(events(71)),
	rapid.SampledFrom([]int{127, 128, 129, 130}))

// drawPairs draws a relation over n events, with up to twice as many pairs. Rapid prefers small
// numbers, which would leave out the events of the second word, so it draws the seed of the pairs.
func drawPairs(t *rapid.T, n int, name string) pairs {
	r := pairs{}
	if n == 0 {
		return r
	}
	count := rapid.SampledFrom([]int{n, n / 2, 2 * n, 1, 0}).Draw(t, name+" draws")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, name+" seed"), 0))
	for range count {
		r[[2]int{random.IntN(n), random.IntN(n)}] = true
	}
	return r
}

// drawManyPairs draws a relation with few or nearly all pairs.
func drawManyPairs(t *rapid.T, n int, name string) pairs {
	r := drawPairs(t, n, name)
	if rapid.Bool().Draw(t, name+" has the other pairs") {
		return pairsWhere(n, func(a, b int) bool { return !r.has(a, b) })
	}
	return r
}

func drawElems(t *rapid.T, n int, name string) elems {
	return elemsWhere(n, func(int) bool { return rapid.Bool().Draw(t, name) })
}

// drawAcyclic draws a relation that some order of the events contains.
func drawAcyclic(t *rapid.T, n int, name string) pairs {
	place := rapid.Permutation(events(n)).Draw(t, name+" order")
	r := drawPairs(t, n, name)
	for p := range r {
		if place[p[0]] >= place[p[1]] {
			delete(r, p)
		}
	}
	return r
}

// events returns 0 … n-1.
func events(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

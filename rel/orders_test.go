package rel_test

import (
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/rel"
)

// mask is a relation over up to four events: bit 4a+b says whether a is related to b. There are few
// enough to try all.
type mask uint16

func (m mask) has(a, b int) bool { return m>>(4*a+b)&1 == 1 }

func maskOf(r rel.Rel) (m mask) {
	for a, b := range r.Pairs() {
		m |= 1 << (4*a + b)
	}
	return m
}

func (m mask) within(n mask) bool { return m&^n == 0 }

func (m mask) irreflexive() bool { return m&0b1000_0100_0010_0001 == 0 }

func (m mask) inverse() (inv mask) {
	for i := range 16 {
		inv |= m >> i & 1 << (4*(i%4) + i/4)
	}
	return inv
}

func (m mask) transitive() bool {
	for i := range 64 {
		a, b, c := i/16, i/4%4, i%4
		if m.has(a, b) && m.has(b, c) && !m.has(a, c) {
			return false
		}
	}
	return true
}

// masksWhere returns all relations that satisfy p.
func masksWhere(p func(mask) bool) []mask {
	var all []mask
	for m := range 1 << 16 {
		if p(mask(m)) {
			all = append(all, mask(m))
		}
	}
	return all
}

func never() bool { return false }

// orders are the partial orders of four events.
var orders = masksWhere(func(m mask) bool { return m.irreflexive() && m.transitive() })

// sameMasks requires that a sequence yields each of want once, and stops when told to.
func sameMasks(t *rapid.T, seq iter.Seq[rel.Rel], want []mask) {
	t.Helper()
	var got []mask
	for r := range seq {
		got = append(got, maskOf(r))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("got %d relations, want %d:\n%016b\n%016b", len(got), len(want), got, want)
	}
	for range seq {
		break
	}
}

func TestLinearisationsAmongAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "n")
		r, s := drawPairs(t, n, "r").rel(n), drawElems(t, n, "s").set(n)
		must, square := maskOf(r.Restrict(s, s)), maskOf(rel.Product(s, s))
		var want []mask
		for _, m := range orders {
			total := (m|m.inverse())|maskOf(rel.Identity(s)) == square
			if total && m.within(square) && must.within(m) {
				want = append(want, m)
			}
		}
		sameMasks(t, r.Linearisations(s, never), want)
	})
}

func TestPartialOrdersAmongAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "n")
		r, must := drawPairs(t, n, "r").rel(n), drawPairs(t, n, "must").rel(n)
		may := maskOf(r.Union(must.Plus()))
		var want []mask
		for _, m := range orders {
			if maskOf(must).within(m) && m.within(may) {
				want = append(want, m)
			}
		}
		sameMasks(t, rel.PartialOrders(r, must, never), want)
	})
}

func TestOrientationsAmongAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "n")
		r := drawPairs(t, n, "r").rel(n)
		both := maskOf(r.Union(r.Inverse()).Diff(rel.Identity(rel.Universe(n))))
		want := masksWhere(func(m mask) bool { return m&m.inverse() == 0 && m|m.inverse() == both })
		sameMasks(t, r.Orientations(never), want)
	})
}

func TestCompletionsAmongAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "n")
		r := drawPairs(t, n, "r").rel(n)
		must := drawPairs(t, n, "must").rel(n)
		related := maskOf(r.Union(r.Inverse()).Diff(rel.Identity(rel.Universe(n))))
		complete := masksWhere(func(m mask) bool {
			return m.irreflexive() && m.transitive() && maskOf(must).within(m) && related.within(m|m.inverse())
		})
		var want []mask
		for _, m := range complete {
			if !slices.ContainsFunc(complete, func(k mask) bool { return k != m && k.within(m) }) {
				want = append(want, m)
			}
		}
		sameMasks(t, rel.Completions(r, must, never), want)
	})
}

// TestCounts compares numbers of orders with formulas.
func TestCounts(t *testing.T) {
	// A chain of each of these lengths, side by side.
	chains := func(lengths ...int) (rel.Rel, rel.Set) {
		var must [][2]int
		n := 0
		for _, length := range lengths {
			for i := range length {
				if i > 0 {
					must = append(must, [2]int{n - 1, n})
				}
				n++
			}
		}
		return rel.Of(n, must...), rel.Universe(n)
	}
	// A rectangle of events, each before those to the right and below: its linearisations are
	// standard Young tableaux.
	rectangle := func(rows, columns int) (rel.Rel, rel.Set) {
		n := rows * columns
		return rel.Where(n, func(a, b int) bool {
			right := b == a+1 && b%columns != 0
			return right || b == a+columns
		}), rel.Universe(n)
	}
	// A tree: event i is under (i-1)/2, and after it.
	tree := func(n int) (rel.Rel, rel.Set) {
		return rel.Where(n, func(a, b int) bool { return b > 0 && a == (b-1)/2 }), rel.Universe(n)
	}
	count := func(r rel.Rel, s rel.Set) (n int) {
		for range r.Linearisations(s, never) {
			n++
		}
		return n
	}
	for _, tt := range []struct {
		name string
		got  int
		want int
	}{
		{"0!", count(rel.New(0), rel.Universe(0)), 1},
		{"1!", count(rel.New(1), rel.Universe(1)), 1},
		{"5!", count(rel.New(5), rel.Universe(5)), 120},
		{"7!", count(rel.New(7), rel.Universe(7)), 5040},
		{"one chain", count(chains(6)), 1},
		{"chains of 3 and 4: 7 over 3", count(chains(3, 4)), 35},
		{"chains of 2, 2 and 2: 6!/8", count(chains(2, 2, 2)), 90},
		{"2 rows of 4: 8! / (5·4·3·2 · 4·3·2·1)", count(rectangle(2, 4)), 14},
		{"3 rows of 3: 9! / (5·4·3 · 4·3·2 · 3·2·1)", count(rectangle(3, 3)), 42},
		{"a tree of 7: 7! / (7 · 3·3 · 1·1·1·1)", count(tree(7)), 80},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d linearisations, want %d", tt.name, tt.got, tt.want)
		}
	}
	// Numbers of partial orders of labelled events: 1, 3, 19, 219, 4231.
	for n, want := range []int{1, 1, 3, 19, 219, 4231} {
		got := 0
		for range rel.PartialOrders(rel.Full(n), rel.New(n), never) {
			got++
		}
		if got != want {
			t.Errorf("%d partial orders of %d events, want %d", got, n, want)
		}
	}
}

// TestOrdersStop: a search for orders ends when it is told to, however far the next order is.
func TestOrdersStop(t *testing.T) {
	const n = 40
	full, none := rel.Full(n), rel.New(n)
	for name, all := range map[string]func(stop func() bool) iter.Seq[rel.Rel]{
		"linearisations": func(stop func() bool) iter.Seq[rel.Rel] {
			return none.Linearisations(rel.Universe(n), stop)
		},
		"orientations":   full.Orientations,
		"partial orders": func(stop func() bool) iter.Seq[rel.Rel] { return rel.PartialOrders(full, none, stop) },
		"completions":    func(stop func() bool) iter.Seq[rel.Rel] { return rel.Completions(full, none, stop) },
	} {
		asked := 0
		for range all(func() bool { asked++; return asked >= n/2 }) {
			t.Errorf("%s: an order of %d events after %d steps", name, n, asked)
		}
		if asked != n/2 {
			t.Errorf("%s: asked %d times, told to stop at the %dth", name, asked, n/2)
		}
	}
}

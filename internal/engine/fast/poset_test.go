package fast

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// drawPoset draws a transitive order and open pairs of events that it does not relate.
func drawPoset(t *rapid.T, n int) poset {
	order, open := rel.New(n), rel.New(n)
	places := rapid.Permutation(rel.Universe(n).Elems()).Draw(t, "events")
	density := rapid.SampledFrom([]int{1, 3, 8}).Draw(t, "order is one in")
	for i, a := range places {
		for _, b := range places[i+1:] {
			if rapid.IntRange(1, density).Draw(t, "ordered") == 1 && density > 1 {
				order.Add(a, b)
			}
		}
	}
	order = order.Plus()
	gaps := rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(t, "open is one in")
	for a := range n {
		for b := range a {
			if !order.Has(a, b) && !order.Has(b, a) && rapid.IntRange(1, gaps).Draw(t, "open") == 1 {
				open.Add(a, b)
				open.Add(b, a)
			}
		}
	}
	return poset{order.Words(), open.Words()}
}

func (p poset) relations() (order, open rel.Rel) {
	n := len(p.order)
	return rel.FromWords(n, slices.Clone(p.order)), rel.FromWords(n, slices.Clone(p.open))
}

func members(n int, word uint64) rel.Set {
	return rel.SetOf(n, func(a int) bool { return word>>a&1 != 0 })
}

// posetSizes are the numbers of events that orders are drawn over.
var posetSizes = rapid.OneOf(rapid.IntRange(2, 8), rapid.IntRange(62, plan.MaxEvents))

// TestPut: what follows from a pair is the transitive closure, and closes the pairs that it
// decides.
func TestPut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPoset(t, posetSizes.Draw(t, "n"))
		for !p.decided() {
			a, b := p.anyOpen()
			if rapid.Bool().Draw(t, "other way") {
				a, b = b, a
			}
			order, open := p.relations()
			order.Add(a, b)
			order = order.Plus()
			open = open.Diff(order).Diff(order.Inverse())
			p.put(a, b)
			if gotOrder, gotOpen := p.relations(); !gotOrder.Equal(order) || !gotOpen.Equal(open) {
				t.Fatalf("put(%d, %d): order %v, open %v; want %v, %v", a, b, gotOrder, gotOpen, order, open)
			}
		}
		if a, b := p.anyOpen(); a != -1 || b != -1 {
			t.Fatalf("(%d, %d) is open when nothing is", a, b)
		}
	})
}

// TestCompletions: deciding open pairs in every way makes the completions that package rel
// lists, each once.
func TestCompletions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPoset(t, rapid.IntRange(0, 5).Draw(t, "n"))
		order, open := p.relations()
		want := map[string]int{}
		for r := range rel.Completions(open, order, never) {
			want[r.String()]++
		}
		got := map[string]int{}
		decideAll(p, func(q poset) {
			r, _ := q.relations()
			got[r.String()]++
		})
		if len(got) != len(want) {
			t.Fatalf("%d completions of %v and %v, want %d", len(got), open, order, len(want))
		}
		for r, times := range got {
			if times != 1 || want[r] != 1 {
				t.Fatalf("the completion %s comes %d times, want %d", r, times, want[r])
			}
		}
	})
}

// decideAll decides what is open in every way.
func decideAll(p poset, visit func(poset)) {
	a, b := p.anyOpen()
	if a < 0 {
		visit(p)
		return
	}
	for _, pair := range [][2]event.ID{{a, b}, {b, a}} {
		q := poset{slices.Clone(p.order), slices.Clone(p.open)}
		q.put(pair[0], pair[1])
		decideAll(q, visit)
	}
}

// TestComponents compares what is said of components with the definitions.
func TestComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := posetSizes.Draw(t, "n")
		p := drawPoset(t, n)
		order, open := p.relations()
		linked := open.Star()
		for a := range n {
			set := members(n, p.component(a))
			if !set.Equal(linked.Row(a)) {
				t.Fatalf("the component of %d is %v, want %v", a, set, linked.Row(a))
			}
			if got, want := members(n, p.before(a)), order.Inverse().Row(a); !got.Equal(want) {
				t.Fatalf("%v before %d, want %v", got, a, want)
			}
			related := order.Union(order.Inverse()).Union(open)
			for _, set := range []rel.Set{set, members(n, p.component(a)|p.component(0))} {
				total := rel.Product(set, set).Diff(related).SubsetOf(rel.Identity(set))
				if got, want := p.closed(set.Word()), total && apart(order, set); got != want {
					t.Fatalf("%v is closed: %v", set, got)
				}
			}
		}
	})
}

// apart reports that each event outside of a set is before all of it, or after all, or
// unrelated to all.
func apart(order rel.Rel, set rel.Set) bool {
	for x := range set.Complement().All() {
		after, before := order.Row(x).Inter(set), order.Inverse().Row(x).Inter(set)
		if !after.Empty() && !after.Equal(set) || !before.Empty() && !before.Equal(set) {
			return false
		}
	}
	return true
}

// TestExtensions counts linear extensions, in all and by the last event, as they are listed.
func TestExtensions(t *testing.T) {
	e := &Engine{}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		p := drawPoset(t, n)
		order, _ := p.relations()
		set := members(n, rapid.Uint64Range(1, 1<<n-1).Draw(t, "events"))
		total, last := 0, map[event.ID]int{}
		for r := range order.Linearisations(set, never) {
			total++
			for a := range set.All() {
				if r.Row(a).Empty() {
					last[a]++
				}
			}
		}
		c := component{events: set.Word()}
		e.extensions(p, &c)
		if c.total != total {
			t.Fatalf("%d orders of %v by %v, want %d", c.total, set, order, total)
		}
		for i, a := range set.Elems() {
			if c.last[i] != last[a] {
				t.Fatalf("%d is the last of %d orders of %v by %v, want %d", a, c.last[i], set, order, last[a])
			}
		}
	})
}

// TestLargestComponent: the orders of as many tied events as a component may have can be counted,
// with any number of others; there may be more than an int holds.
func TestLargestComponent(t *testing.T) {
	factorial := 1
	for i := range maxTied {
		factorial *= i + 1
	}
	for n := maxTied; n <= plan.MaxEvents; n++ {
		p := poset{make([]uint64, n), make([]uint64, n)}
		c := component{events: ^uint64(0) >> (plan.MaxEvents - n)}
		(&Engine{}).extensions(p, &c)
		total, last := factorial, factorial/maxTied
		if n > maxTied {
			total, last = engine.Most, factorial // the largest factorial that an int holds
		}
		if c.total != total || n <= maxTied+1 && c.last[3] != last {
			t.Errorf("%d orders of %d events, %d with a given last; want %d, %d", c.total, n, c.last[3], total, last)
		}
	}
	p := poset{make([]uint64, maxTied), make([]uint64, maxTied)}
	for a := range maxTied - 1 {
		p.put(a, a+1)
	}
	c := component{events: 1<<maxTied - 1}
	(&Engine{}).extensions(p, &c)
	if c.total != 1 || c.last[maxTied-1] != 1 || c.last[0] != 0 {
		t.Errorf("%d orders of a chain", c.total)
	}
}

// TestSaturation: more executions than an int holds are as many as it holds, not another number.
func TestSaturation(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"product", times(6, 7), 42},
		{"largest product", times(1<<31, 1<<31), 1 << 62},
		{"product of 2^63", times(1<<32, 1<<31), engine.Most},
		{"product of 2^64", times(1<<32, 1<<32), engine.Most},
		{"large product", times(math.MaxInt, math.MaxInt), engine.Most},
		{"nothing", times(engine.Most, 0), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
}

func never() bool { return false }

package rel_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/rel"
)

// TestRelOps compares every operation on relations with its reference.
func TestRelOps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		rp, sp := drawManyPairs(t, n, "r"), drawManyPairs(t, n, "s")
		cp, dp := drawElems(t, n, "c"), drawElems(t, n, "d")
		r, s, c, d := rp.rel(n), sp.rel(n), cp.set(n), dp.set(n)
		kind := rapid.SliceOfN(rapid.IntRange(-1, 3), n, n).Draw(t, "kind")
		bound := rapid.IntRange(0, n)
		from, to := rel.Span{First: bound.Draw(t, "first"), End: bound.Draw(t, "end")},
			rel.Span{First: bound.Draw(t, "first"), End: bound.Draw(t, "end")}
		in := func(a int, s rel.Span) bool { return s.First <= a && a < s.End }
		ops := []struct {
			name string
			got  rel.Rel
			want func(a, b int) bool
		}{
			{"r | alike", changed(r, func(x rel.Rel) { x.AddAlike(kind) }), func(a, b int) bool {
				return rp.has(a, b) || kind[a] >= 0 && kind[a] == kind[b]
			}},
			{"r | from * to", changed(r, func(x rel.Rel) { x.AddProduct(from, to) }), func(a, b int) bool {
				return rp.has(a, b) || in(a, from) && in(b, to)
			}},
			{"r | s, in place", changed(r, func(x rel.Rel) { x.AddAll(s) }), func(a, b int) bool {
				return rp.has(a, b) || sp.has(a, b)
			}},
			{"r | s", r.Union(s), func(a, b int) bool { return rp.has(a, b) || sp.has(a, b) }},
			{"r & s", r.Inter(s), func(a, b int) bool { return rp.has(a, b) && sp.has(a, b) }},
			{`r \ s`, r.Diff(s), func(a, b int) bool { return rp.has(a, b) && !sp.has(a, b) }},
			{"~r", r.Complement(), func(a, b int) bool { return !rp.has(a, b) }},
			{"r^-1", r.Inverse(), func(a, b int) bool { return rp.has(b, a) }},
			{"r?", r.Opt(), func(a, b int) bool { return a == b || rp.has(a, b) }},
			{"[c]", rel.Identity(c), func(a, b int) bool { return a == b && cp[a] }},
			{"c * d", rel.Product(c, d), func(a, b int) bool { return cp[a] && dp[b] }},
			{"[c]; r; [d]", r.Restrict(c, d), func(a, b int) bool { return cp[a] && rp.has(a, b) && dp[b] }},
			{"_ * _", rel.Full(n), func(int, int) bool { return true }},
			{"0", rel.New(n), func(int, int) bool { return false }},
			{"where", rel.Where(n, rp.has), rp.has},
			{"copy", r.Clone(), rp.has},
			{"r, still", r, rp.has},
			{"s, still", s, sp.has},
		}
		for _, op := range ops {
			sameRel(t, op.name, op.got, op.want)
		}
		related := func(a int, has func(a, b int) bool) bool {
			return slices.ContainsFunc(events(n), func(b int) bool { return has(a, b) })
		}
		sameSet(t, "domain(r)", r.Domain(), func(a int) bool { return related(a, rp.has) })
		sameSet(t, "range(r)", r.Range(), func(b int) bool {
			return related(b, func(b, a int) bool { return rp.has(a, b) })
		})
		if got, want := r.SubsetOf(s),
			len(pairsWhere(n, func(a, b int) bool { return rp.has(a, b) && !sp.has(a, b) })) == 0; got != want {
			t.Fatalf("r in s is %v", got)
		}
		if got, want := r.Equal(s), r.SubsetOf(s) && s.SubsetOf(r); got != want {
			t.Fatalf("r = s is %v", got)
		}
	})
}

// changed returns a changed copy of a relation.
func changed(r rel.Rel, change func(rel.Rel)) rel.Rel {
	r = r.Clone()
	change(r)
	return r
}

// TestSetOps compares every operation on sets with its reference.
func TestSetOps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		cp, dp := drawElems(t, n, "c"), drawElems(t, n, "d")
		c, d := cp.set(n), dp.set(n)
		ops := []struct {
			name string
			got  rel.Set
			want func(e int) bool
		}{
			{"c | d", c.Union(d), func(e int) bool { return cp[e] || dp[e] }},
			{"c & d", c.Inter(d), func(e int) bool { return cp[e] && dp[e] }},
			{`c \ d`, c.Diff(d), func(e int) bool { return cp[e] && !dp[e] }},
			{"~c", c.Complement(), func(e int) bool { return !cp[e] }},
			{"_", rel.Universe(n), func(int) bool { return true }},
			{"{}", rel.NewSet(n), func(int) bool { return false }},
			{"where", rel.SetOf(n, func(e int) bool { return cp[e] }), func(e int) bool { return cp[e] }},
			{"copy", c.Clone(), func(e int) bool { return cp[e] }},
			{"c, still", c, func(e int) bool { return cp[e] }},
			{"d, still", d, func(e int) bool { return dp[e] }},
		}
		for _, op := range ops {
			sameSet(t, op.name, op.got, op.want)
		}
		if got, want := c.SubsetOf(d),
			len(elemsWhere(n, func(e int) bool { return cp[e] && !dp[e] })) == 0; got != want {
			t.Fatalf("c meets d is %v", got)
		}
		if got, want := c.Intersects(d),
			len(elemsWhere(n, func(e int) bool { return cp[e] && dp[e] })) > 0; got != want {
			t.Errorf("%v intersects %v: %v, want %v", c, d, got, want)
		}
		if got, want := c.Equal(d), c.SubsetOf(d) && d.SubsetOf(c); got != want {
			t.Fatalf("c = d is %v", got)
		}
	})
}

// TestPaths compares the operations that follow several pairs with their references.
func TestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		rp, sp := drawPairs(t, n, "r"), drawPairs(t, n, "s")
		r, s := rp.rel(n), sp.rel(n)
		closure := rp.closure()
		sameRel(t, "r; s", r.Compose(s), rp.compose(sp).has)
		sameRel(t, "r+", r.Plus(), closure.has)
		sameRel(t, "r*", r.Star(), func(a, b int) bool { return a == b || closure.has(a, b) })
		sameRel(t, "r, still", r, rp.has)
		loop := func(r pairs) bool { return slices.ContainsFunc(events(n), func(e int) bool { return r.has(e, e) }) }
		if got, want := r.Irreflexive(), !loop(rp); got != want {
			t.Fatalf("Irreflexive is %v", got)
		}
		if got, want := r.Acyclic(), !loop(closure); got != want {
			t.Fatalf("Acyclic is %v", got)
		}
		if got, want := r.Transitive(), len(closure) == len(rp); got != want {
			t.Fatalf("Transitive is %v", got)
		}
	})
}

// TestLaws checks equations between operations.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		r, s, u := drawManyPairs(t, n, "r").rel(n), drawManyPairs(t, n, "s").rel(n), drawPairs(t, n, "u").rel(n)
		c, d := drawElems(t, n, "c").set(n), drawElems(t, n, "d").set(n)
		id := rel.Identity(rel.Universe(n))
		equations := []struct {
			name        string
			left, right rel.Rel
		}{
			{"~(r | s) = ~r & ~s", r.Union(s).Complement(), r.Complement().Inter(s.Complement())},
			{"~(r & s) = ~r | ~s", r.Inter(s).Complement(), r.Complement().Union(s.Complement())},
			{"~~r = r", r.Complement().Complement(), r},
			{`r \ s = r & ~s`, r.Diff(s), r.Inter(s.Complement())},
			{"(r^-1)^-1 = r", r.Inverse().Inverse(), r},
			{"(r; s)^-1 = s^-1; r^-1", r.Compose(s).Inverse(), s.Inverse().Compose(r.Inverse())},
			{"(r; s); u = r; (s; u)", r.Compose(s).Compose(u), r.Compose(s.Compose(u))},
			{"r; (s | u) = r; s | r; u", r.Compose(s.Union(u)), r.Compose(s).Union(r.Compose(u))},
			{"r; id = r", r.Compose(id), r},
			{"id; r = r", id.Compose(r), r},
			{"(u+)+ = u+", u.Plus().Plus(), u.Plus()},
			{"(u*)* = u*", u.Star().Star(), u.Star()},
			{"u+ = u; u*", u.Plus(), u.Compose(u.Star())},
			{"(u+)^-1 = (u^-1)+", u.Plus().Inverse(), u.Inverse().Plus()},
			{"[c]; r; [d] restricts", r.Restrict(c, d), rel.Identity(c).Compose(r).Compose(rel.Identity(d))},
			{"c * d restricts", r.Restrict(c, d), r.Inter(rel.Product(c, d))},
			{"(c * d)^-1 = d * c", rel.Product(c, d).Inverse(), rel.Product(d, c)},
			{"[domain(r)]; r = r", r.Restrict(r.Domain(), r.Range()), r},
		}
		for _, e := range equations {
			if !e.left.Equal(e.right) {
				t.Fatalf("%s: %v is not %v", e.name, e.left, e.right)
			}
		}
	})
}

// TestPlusIsLeast checks that the closure is contained in every transitive relation that contains
// the relation.
func TestPlusIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		rp := drawPairs(t, n, "r")
		more := drawPairs(t, n, "more")
		for p := range rp {
			more[p] = true
		}
		r, transitive := rp.rel(n), more.closure().rel(n)
		plus := r.Plus()
		if !r.SubsetOf(plus) || !plus.Transitive() || !plus.SubsetOf(transitive) {
			t.Fatalf("r+ is %v; a transitive relation with r is %v", plus, transitive)
		}
	})
}

// TestReduction checks that the reduction of an acyclic relation is the least part of it that has
// the same closure.
func TestReduction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		r := drawAcyclic(t, n, "r")
		if rapid.Bool().Draw(t, "closed") {
			r = r.closure()
		}
		reduced, plus := r.rel(n).Reduction(), r.rel(n).Plus()
		if !reduced.SubsetOf(r.rel(n)) || !reduced.Plus().Equal(plus) {
			t.Fatalf("the reduction is %v", reduced)
		}
		for a, b := range reduced.Pairs() {
			less := reduced.Clone()
			less.Remove(a, b)
			if less.Plus().Has(a, b) {
				t.Fatalf("the reduction %v does without %d→%d", reduced, a, b)
			}
		}
	})
}

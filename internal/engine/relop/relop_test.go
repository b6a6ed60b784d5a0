package relop

import (
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/rel"
)

// A use is an operator on sets or on relations over few events. Operands and results are relations;
// a set is the identity on its elements.
type use struct {
	*Row
	n   int
	set bool // the result is a set
}

func (u use) String() string { return fmt.Sprintf("%s of %v over %d events", u.Text, u.Operands, u.n) }

// isSet reports whether an operand is a set.
func (u use) isSet(i int) bool { return u.Operands[i] == Set || u.Operands[i] == Alike && u.set }

// eachUse calls f for each operator, on sets and on relations. Relations of two operands are over
// two events, which makes 256 pairs of operands.
func eachUse(t *testing.T, f func(t *testing.T, u use)) {
	for o := Union; o < End; o++ {
		r := o.Row()
		for _, set := range []bool{false, true} {
			if r.Result == Set && !set || r.Result == Rel && set {
				continue
			}
			u := use{r, 2, set}
			if r.Arity() < 2 || u.isSet(0) && u.isSet(1) {
				u.n = 3
			}
			t.Run(u.String(), func(t *testing.T) { f(t, u) })
		}
	}
}

// all returns all relations that the operand can be.
func (u use) all(i int) []rel.Rel {
	found := []rel.Rel{rel.New(u.n)}
	if u.Operands[i] == None {
		return found
	}
	for a := range u.n {
		for b := range u.n {
			if a != b && u.isSet(i) {
				continue
			}
			for _, r := range found {
				more := r.Clone()
				more.Add(a, b)
				found = append(found, more)
			}
		}
	}
	return found
}

// each calls f for all pairs of operands.
func (u use) each(f func(x [2]rel.Rel)) {
	for _, x := range u.all(0) {
		for _, y := range u.all(1) {
			f([2]rel.Rel{x, y})
		}
	}
}

func (u use) of(x [2]rel.Rel) rel.Rel { return u.Relate(u.n, u.set, x[0], x[1]) }

// toggle returns operands; the i-th has the pair (a, b) if it did not have it before, and vice
// versa.
func toggle(x [2]rel.Rel, i, a, b int) [2]rel.Rel {
	x[i] = x[i].Clone()
	if x[i].Has(a, b) {
		x[i].Remove(a, b)
	} else {
		x[i].Add(a, b)
	}
	return x
}

// TestColumns demands every column of every row.
func TestColumns(t *testing.T) {
	written := map[string]Op{}
	for o := Union; o < End; o++ {
		r := o.Row()
		name := fmt.Sprint(r.Text, r.Arity())
		if other := written[name]; r.Text == "" || other != 0 {
			t.Errorf("operators %d and %d are both written %q", o, other, r.Text)
		}
		written[name] = o
		for i, k := range r.Operands {
			if there := k != None; there != (r.Sign[i] != 0) || there != (r.Place[i] != 0) || there != (i < r.Arity()) {
				t.Errorf("%s: operand %d is of kind %d, sign %d, place %d", r.Text, i, k, r.Sign[i], r.Place[i])
			}
		}
		sets, rels := r.Sets != nil || r.Ends != nil || r.ConstSet != nil, r.Rels != nil || r.Pairs != nil || r.Cut != nil || r.ConstRel != nil
		if (r.Result != Rel) != sets || (r.Result != Set) != rels {
			t.Errorf("%s: the result is of kind %d, which does not fit what it means", r.Text, r.Result)
		}
		if r.Tells == 0 || r.Result == None || r.Any && !r.Local() {
			t.Errorf("%s: a column is missing", r.Text)
		}
	}
}

// TestSigns: when an operand grows, the result changes as its sign says, and does change.
func TestSigns(t *testing.T) {
	eachUse(t, func(t *testing.T, u use) {
		var changes [2]bool
		u.each(func(x [2]rel.Rel) {
			less := u.of(x)
			u.eachPair(func(i, a, b int) {
				if x[i].Has(a, b) {
					return
				}
				small, large := less, u.of(toggle(x, i, a, b))
				if u.Sign[i] == Falls {
					small, large = large, small
				}
				if !small.SubsetOf(large) {
					t.Fatalf("of %v, operand %d grows by (%d, %d)", x, i, a, b)
				}
				changes[i] = changes[i] || !small.Equal(large)
			})
		})
		for i := range u.Arity() {
			if !changes[i] {
				t.Errorf("the result does not depend on operand %d", i)
			}
		}
	})
}

// eachPair calls f for each operand and each pair that it may have.
func (u use) eachPair(f func(i, a, b int)) {
	for i := range u.Arity() {
		for a := range u.n {
			for b := range u.n {
				if a == b || !u.isSet(i) {
					f(i, a, b)
				}
			}
		}
	}
}

// TestStrict: an operator is strict in an operand if and only if its result is empty whenever the
// operand is.
func TestStrict(t *testing.T) {
	eachUse(t, func(t *testing.T, u use) {
		strict := [2]bool{u.Arity() > 0, u.Arity() > 1}
		reflexive := true
		id := rel.Identity(rel.Universe(u.n))
		u.each(func(x [2]rel.Rel) {
			r := u.of(x)
			for i := range strict {
				strict[i] = strict[i] && (!x[i].Empty() || r.Empty())
			}
			reflexive = reflexive && id.SubsetOf(r)
		})
		if strict != u.Strict || reflexive != u.Reflexive {
			t.Errorf("strict in %v, reflexive %v", strict, reflexive)
		}
	})
}

// decides reports whether a place says that (c, d) of an operand decides (a, b).
func decides(p Place, a, b, c, d int) bool {
	switch p {
	case Leaving:
		return c == a
	case Arriving:
		return d == b
	case Between:
		return true
	}
	x, y := p.Of(a, b)
	return x == c && y == d
}

// TestPlaces: the pairs that decide whether (a, b) is in the result are those that the place says.
func TestPlaces(t *testing.T) {
	eachUse(t, func(t *testing.T, u use) {
		type influence struct{ i, c, d, a, b int }
		found := map[influence]bool{}
		u.each(func(x [2]rel.Rel) {
			before := u.of(x)
			u.eachPair(func(i, c, d int) {
				after := u.of(toggle(x, i, c, d))
				for a, b := range before.Diff(after).Union(after.Diff(before)).Pairs() {
					found[influence{i, c, d, a, b}] = true
				}
			})
		})
		u.eachPair(func(i, c, d int) {
			for a := range u.n {
				for b := range u.n {
					in := found[influence{i, c, d, a, b}]
					if says := decides(u.Place[i], a, b, c, d); in && !says {
						t.Errorf("(%d, %d) of operand %d decides (%d, %d)", c, d, i, a, b)
					} else if says && !in && a != b && !u.set && u.Place[i].Local() && u.possible(i, a, b) {
						t.Errorf("(%d, %d) of operand %d does not decide (%d, %d)", c, d, i, a, b)
					}
				}
			}
		})
	})
}

// possible reports whether the operand can have the pair that decides (a, b).
func (u use) possible(i, a, b int) bool {
	c, d := u.Place[i].Of(a, b)
	return c == d || !u.isSet(i)
}

// TestLocal: of a local operator, single pairs decide, as Keeps says.
func TestLocal(t *testing.T) {
	eachUse(t, func(t *testing.T, u use) {
		if !u.Local() {
			return
		}
		u.each(func(x [2]rel.Rel) {
			r := u.of(x)
			for a := range u.n {
				for b := range u.n {
					var in []bool
					for i := range u.Arity() {
						in = append(in, x[i].Has(u.Place[i].Of(a, b)))
					}
					want := (u.Keeps(in...) || a == b && u.Reflexive) && (a == b || !u.set)
					if got := r.Has(a, b); got != want {
						t.Fatalf("%v: that (%d, %d) is in the result is %v", x, a, b, got)
					}
				}
			}
		})
	})
}

// TestRelate: an operator does to identities what it does to their sets.
func TestRelate(t *testing.T) {
	eachUse(t, func(t *testing.T, u use) {
		u.each(func(x [2]rel.Rel) {
			if u.set && u.Sets != nil {
				if want, got := rel.Identity(u.Sets(x[0].Domain(), x[1].Domain())), u.of(x); !got.Equal(want) {
					t.Fatalf("%v: %v, want %v", x, got, want)
				}
			}
			if !u.set && u.Rels != nil {
				if want, got := u.Rels(x[0], x[1]), u.of(x); !got.Equal(want) {
					t.Fatalf("%v: %v, want %v", x, got, want)
				}
			}
		})
	})
}

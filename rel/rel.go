// Package rel implements sets and binary relations over the events 0 … n-1 of a candidate
// execution.
//
//	Set    a set of events, one bit each
//	Rel    a relation, one row of bits per event
//	Cycle  a cycle of a relation: the witness that it is not acyclic
//
// Rows are uint64 words, so that union, intersection, difference and composition work on 64 events
// at a time. The package does not depend on what an event is.
package rel

import (
	"fmt"
	"iter"
	"strings"
)

// Rel is a binary relation over n events. The zero Rel is the empty relation over no events.
//
// Operations that return a Rel leave their operands unchanged; both operands must have the same n.
type Rel struct {
	n    int
	w    int      // words per row
	bits []uint64 // n rows; bits past n of each row are zero
}

// New returns the empty relation over n events.
func New(n int) Rel {
	w := wordsFor(n)
	return Rel{n, w, make([]uint64, n*w)}
}

// Several returns k empty relations over n events, in one allocation.
func Several(k, n int) []Rel {
	w := wordsFor(n)
	bits, all := make([]uint64, k*n*w), make([]Rel, k)
	for i := range all {
		all[i] = Rel{n, w, bits[i*n*w : (i+1)*n*w : (i+1)*n*w]}
	}
	return all
}

// Of returns the relation of exactly the given pairs.
func Of(n int, pairs ...[2]int) Rel {
	r := New(n)
	for _, p := range pairs {
		r.Add(p[0], p[1])
	}
	return r
}

// Where returns the relation of the pairs that satisfy p.
func Where(n int, p func(a, b int) bool) Rel {
	r := New(n)
	for a := range n {
		for b := range n {
			if p(a, b) {
				r.Add(a, b)
			}
		}
	}
	return r
}

// Identity returns the identity on s, written [s] in .cat.
func Identity(s Set) Rel {
	r := New(s.n)
	for e := range s.All() {
		r.Add(e, e)
	}
	return r
}

// Full returns the universal relation.
func Full(n int) Rel {
	all := Universe(n)
	return Product(all, all)
}

// Product returns s × t.
func Product(s, t Set) Rel {
	sameUniverse(s.n, t.n)
	r := New(s.n)
	for e := range s.All() {
		copy(r.row(e), t.bits)
	}
	return r
}

// N returns the number of events in the universe of r.
func (r Rel) N() int { return r.n }

func (r Rel) row(a int) []uint64 { return r.bits[a*r.w : (a+1)*r.w] }

// Row returns the successors of a. It shares memory with r: treat it as read-only.
func (r Rel) Row(a int) Set { return Set{r.n, r.row(a)} }

// Words returns the rows of a relation over at most 64 events as words. They share memory with r.
func (r Rel) Words() []uint64 {
	if r.n > wordBits {
		panic("rel: rows of more than 64 events")
	}
	return r.bits
}

// FromWords returns the relation over n events, at most 64, with the given rows. It shares memory
// with them.
func FromWords(n int, rows []uint64) Rel {
	if n > wordBits || len(rows) != n {
		panic("rel: rows do not fit")
	}
	return Rel{n, wordsFor(n), rows}
}

// Add adds (a, b) to r, in place.
func (r Rel) Add(a, b int) { r.bits[a*r.w+b/wordBits] |= 1 << (b % wordBits) }

// AddAll adds the pairs of s to r, in place.
func (r Rel) AddAll(s Rel) {
	sameUniverse(r.n, s.n)
	for i, w := range s.bits {
		r.bits[i] |= w
	}
}

// AddAlike adds the pairs of events of the same kind to r, in place, where kind has the number of
// each event's kind; an event with a negative number is related to none.
func (r Rel) AddAlike(kind []int) {
	for a, k := range kind {
		if k < 0 {
			continue
		}
		row := r.row(a)
		for b, other := range kind {
			if other == k {
				row[b/wordBits] |= 1 << (b % wordBits)
			}
		}
	}
}

// Span is the events from First up to, but not including, End.
type Span struct{ First, End int }

// AddProduct adds the pairs of all events of one span with all of another to r, in place.
func (r Rel) AddProduct(s, t Span) {
	for w := t.First / wordBits; w*wordBits < t.End; w++ {
		first, end := max(t.First-w*wordBits, 0), min(t.End-w*wordBits, wordBits)
		word := ^uint64(0) << first & (^uint64(0) >> (wordBits - end))
		for a := s.First; a < s.End; a++ {
			r.bits[a*r.w+w] |= word
		}
	}
}

// Remove removes (a, b) from r, in place.
func (r Rel) Remove(a, b int) { r.bits[a*r.w+b/wordBits] &^= 1 << (b % wordBits) }

// Has reports whether (a, b) ∈ r.
func (r Rel) Has(a, b int) bool { return r.bits[a*r.w+b/wordBits]>>(b%wordBits)&1 != 0 }

// Clone returns a copy of r.
func (r Rel) Clone() Rel { return Rel{r.n, r.w, append([]uint64(nil), r.bits...)} }

// Union returns r ∪ s.
func (r Rel) Union(s Rel) Rel { return r.zip(s, func(a, b uint64) uint64 { return a | b }) }

// Inter returns r ∩ s.
func (r Rel) Inter(s Rel) Rel { return r.zip(s, func(a, b uint64) uint64 { return a & b }) }

// Diff returns r \ s.
func (r Rel) Diff(s Rel) Rel { return r.zip(s, func(a, b uint64) uint64 { return a &^ b }) }

// Complement returns the pairs that are not in r.
func (r Rel) Complement() Rel { return Full(r.n).Diff(r) }

func (r Rel) zip(s Rel, op func(a, b uint64) uint64) Rel {
	sameUniverse(r.n, s.n)
	t := Rel{r.n, r.w, make([]uint64, len(r.bits))}
	for i := range t.bits {
		t.bits[i] = op(r.bits[i], s.bits[i])
	}
	return t
}

// Inverse returns the pairs of r, reversed.
func (r Rel) Inverse() Rel {
	t := New(r.n)
	for a, b := range r.Pairs() {
		t.Add(b, a)
	}
	return t
}

// Compose returns r;s: the pairs (a, c) with (a, b) ∈ r and (b, c) ∈ s for some b.
func (r Rel) Compose(s Rel) Rel {
	sameUniverse(r.n, s.n)
	t := New(r.n)
	for a := range r.n {
		row := t.row(a)
		for b := range r.Row(a).All() {
			for i, w := range s.row(b) {
				row[i] |= w
			}
		}
	}
	return t
}

// Plus returns the transitive closure of r (Warshall's algorithm on rows).
func (r Rel) Plus() Rel {
	t := r.Clone()
	for k := range t.n {
		via := t.row(k)
		for a := range t.n {
			if t.Has(a, k) {
				row := t.row(a)
				for i, w := range via {
					row[i] |= w
				}
			}
		}
	}
	return t
}

// Opt returns r ∪ id, written r? in .cat.
func (r Rel) Opt() Rel { return r.Union(Identity(Universe(r.n))) }

// Star returns the reflexive transitive closure of r.
func (r Rel) Star() Rel { return r.Plus().Opt() }

// Domain returns the events that have a successor.
func (r Rel) Domain() Set {
	return SetOf(r.n, func(a int) bool { return !r.Row(a).Empty() })
}

// Range returns the events that have a predecessor.
func (r Rel) Range() Set {
	s := NewSet(r.n)
	for a := range r.n {
		for i, w := range r.row(a) {
			s.bits[i] |= w
		}
	}
	return s
}

// Restrict returns the pairs of r from s to t, written [s];r;[t] in .cat.
func (r Rel) Restrict(s, t Set) Rel {
	u := New(r.n)
	for a := range s.All() {
		row := u.row(a)
		for i, w := range r.row(a) {
			row[i] = w & t.bits[i]
		}
	}
	return u
}

// Empty reports whether r = ∅.
func (r Rel) Empty() bool { return Set{len(r.bits) * wordBits, r.bits}.Empty() }

// Len returns the number of pairs of r.
func (r Rel) Len() int { return Set{len(r.bits) * wordBits, r.bits}.Len() }

// Equal reports whether r = s.
func (r Rel) Equal(s Rel) bool {
	if r.n != s.n {
		return false
	}
	for i := range r.bits {
		if r.bits[i] != s.bits[i] {
			return false
		}
	}
	return true
}

// SubsetOf reports whether r ⊆ s.
func (r Rel) SubsetOf(s Rel) bool { return r.Diff(s).Empty() }

// Pairs yields the pairs of r in lexicographic order.
func (r Rel) Pairs() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for a := range r.n {
			for b := range r.Row(a).All() {
				if !yield(a, b) {
					return
				}
			}
		}
	}
}

// Irreflexive reports whether no event is related to itself.
func (r Rel) Irreflexive() bool {
	for e := range r.n {
		if r.Has(e, e) {
			return false
		}
	}
	return true
}

// Transitive reports whether r;r ⊆ r.
func (r Rel) Transitive() bool { return r.Compose(r).SubsetOf(r) }

// Acyclic reports whether r has no cycle.
func (r Rel) Acyclic() bool { return r.Plus().Irreflexive() }

// Reduction returns the pairs of r that do not follow from others by transitivity. For an acyclic r
// it is the least relation with the same closure.
func (r Rel) Reduction() Rel {
	plus := r.Plus()
	return r.Diff(plus.Compose(plus))
}

func (r Rel) String() string {
	var b strings.Builder
	b.WriteByte('{')
	first := true
	for x, y := range r.Pairs() {
		if !first {
			b.WriteByte(' ')
		}
		first = false
		fmt.Fprintf(&b, "%d→%d", x, y)
	}
	b.WriteByte('}')
	return b.String()
}

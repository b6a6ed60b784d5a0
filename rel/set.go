package rel

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

const wordBits = 64

func wordsFor(n int) int { return (n + wordBits - 1) / wordBits }

// Set is a set of events 0 … n-1. The zero Set is the empty set over no events.
//
// Operations that return a Set leave their operands unchanged; both operands must have the same n.
type Set struct {
	n    int
	bits []uint64 // bits past n are zero
}

// NewSet returns the set of the given elements over n events.
func NewSet(n int, elems ...int) Set {
	s := Set{n, make([]uint64, wordsFor(n))}
	for _, e := range elems {
		s.Add(e)
	}
	return s
}

// Universe returns the set of all n events.
func Universe(n int) Set {
	s := NewSet(n)
	for i := range s.bits {
		s.bits[i] = ^uint64(0)
	}
	s.trim()
	return s
}

// SetOf returns the events that satisfy p.
func SetOf(n int, p func(int) bool) Set {
	s := NewSet(n)
	for e := range n {
		if p(e) {
			s.Add(e)
		}
	}
	return s
}

// trim clears the bits past n.
func (s Set) trim() {
	if r := s.n % wordBits; r != 0 {
		s.bits[len(s.bits)-1] &= 1<<r - 1
	}
}

// N returns the number of events in the universe of s.
func (s Set) N() int { return s.n }

// Word returns a set of at most 64 events as a word.
func (s Set) Word() uint64 {
	switch len(s.bits) {
	case 0:
		return 0
	case 1:
		return s.bits[0]
	}
	panic("rel: a set of more than 64 events")
}

// Add adds e to s, in place.
func (s Set) Add(e int) { s.bits[e/wordBits] |= 1 << (e % wordBits) }

// Remove removes e from s, in place.
func (s Set) Remove(e int) { s.bits[e/wordBits] &^= 1 << (e % wordBits) }

// Has reports whether e ∈ s.
func (s Set) Has(e int) bool { return s.bits[e/wordBits]>>(e%wordBits)&1 != 0 }

// Clone returns a copy of s.
func (s Set) Clone() Set { return Set{s.n, append([]uint64(nil), s.bits...)} }

// Union returns s ∪ t.
func (s Set) Union(t Set) Set { return s.zip(t, func(a, b uint64) uint64 { return a | b }) }

// Inter returns s ∩ t.
func (s Set) Inter(t Set) Set { return s.zip(t, func(a, b uint64) uint64 { return a & b }) }

// Diff returns s \ t.
func (s Set) Diff(t Set) Set { return s.zip(t, func(a, b uint64) uint64 { return a &^ b }) }

// Complement returns the events that are not in s.
func (s Set) Complement() Set { return Universe(s.n).Diff(s) }

func (s Set) zip(t Set, op func(a, b uint64) uint64) Set {
	sameUniverse(s.n, t.n)
	r := Set{s.n, make([]uint64, len(s.bits))}
	for i := range r.bits {
		r.bits[i] = op(s.bits[i], t.bits[i])
	}
	return r
}

// Empty reports whether s = ∅.
func (s Set) Empty() bool {
	for _, w := range s.bits {
		if w != 0 {
			return false
		}
	}
	return true
}

// Len returns the number of elements of s.
func (s Set) Len() int {
	n := 0
	for _, w := range s.bits {
		n += bits.OnesCount64(w)
	}
	return n
}

// Equal reports whether s = t.
func (s Set) Equal(t Set) bool {
	if s.n != t.n {
		return false
	}
	for i := range s.bits {
		if s.bits[i] != t.bits[i] {
			return false
		}
	}
	return true
}

// SubsetOf reports whether s ⊆ t.
func (s Set) SubsetOf(t Set) bool {
	sameUniverse(s.n, t.n)
	for i, w := range s.bits {
		if w&^t.bits[i] != 0 {
			return false
		}
	}
	return true
}

// Intersects reports whether s ∩ t ≠ ∅.
func (s Set) Intersects(t Set) bool {
	sameUniverse(s.n, t.n)
	for i, w := range s.bits {
		if w&t.bits[i] != 0 {
			return true
		}
	}
	return false
}

// All yields the elements of s in increasing order.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s.bits {
			for ; w != 0; w &= w - 1 {
				if !yield(i*wordBits + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Elems returns the elements of s in increasing order.
func (s Set) Elems() []int {
	var es []int
	for e := range s.All() {
		es = append(es, e)
	}
	return es
}

func (s Set) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, e := range s.Elems() {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, e)
	}
	b.WriteByte('}')
	return b.String()
}

func sameUniverse(n, m int) {
	if n != m {
		panic(fmt.Sprintf("rel: operands over %d and %d events", n, m))
	}
}

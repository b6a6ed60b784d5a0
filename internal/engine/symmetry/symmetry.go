// Package symmetry finds threads that may change places, and structures that differ by no more than
// that.
//
//	Classes  threads that are interchangeable, by their places and by the question
//	Seen     structures that have come, up to such changes
//
// Let threads of a class change places, in one structure or from one to another, where each takes
// the path that the other took: an event of one becomes the event of the other that has its number
// on the path. What models see of the program stays as it is. Sets of events are decided by what
// stands on paths. Relations within threads are pairs of numbers on them. Relations of different
// threads ask whether these share a level of the hierarchy, which is the same before and after by
// the definition of a class. Values are expressions over the reads of a path, and locations have no
// thread; shared memory stays where it is, because the class is within a CTA then. So a candidate
// execution becomes a candidate execution. A model is made of such sets and relations by operations
// that look at no event in particular, and so are the families from which it chooses: it allows
// both executions or neither. What is asked about the final state has the same answer, by the
// definition of a class.
//
// Of several such structures one is enough for a verdict, and of several such executions a search
// may choose which one to look for. So it is for states that do not name the threads, but not
// for counts.
package symmetry

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/event"
)

// Classes are classes of threads: by thread, the first of its class.
type Classes []int

// Of returns the classes of the threads of a program. s is any structure of it. same reports
// whether the question stays the same if two threads change places.
func Of(s *event.Structure, same func(t, u int) bool) Classes {
	c := make(Classes, len(s.Threads))
	for t := range c {
		c[t] = t
		for u := range t {
			if c[u] == u && exchangeable(s, t, u) && same(t, u) {
				c[t] = u
				break
			}
		}
	}
	return c
}

// Any reports that some threads may change places.
func (c Classes) Any() bool {
	for t, first := range c {
		if first != t {
			return true
		}
	}
	return false
}

// exchangeable reports that every other thread shares places at the same levels with two threads,
// and that these share a place at each level to whose places memory belongs.
func exchangeable(s *event.Structure, t, u int) bool {
	one, other := s.Threads[t].At, s.Threads[u].At
	for v := range s.Threads {
		if v == t || v == u {
			continue
		}
		for level, at := range s.Threads[v].At {
			if (at == one[level]) != (at == other[level]) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(s.Locs, func(l event.Location) bool { return l.Home > 0 && one[l.HomeLevel] != other[l.HomeLevel] })
}

// Apart reports that a structure is nothing but its paths: that threads meet at no barriers, and
// have nothing done asynchronously.
func Apart(s *event.Structure) bool {
	if len(s.Paths) != len(s.Threads) || len(s.Issue)+len(s.Within)+len(s.Complete) > 0 {
		return false
	}
	for _, r := range s.Rels {
		if !r.Empty() {
			return false
		}
	}
	return true
}

// Same reports that two paths are the same but for their threads.
func Same(p, q *event.Path) bool {
	if p == q {
		return true
	}
	sameEvent := func(a, b event.Event) bool { a.Thread = b.Thread; return a == b }
	sameCond := func(a, b event.Cond) bool { a.Thread = b.Thread; return a == b }
	return p.Ending == q.Ending && slices.Equal(p.Spin, q.Spin) && slices.Equal(p.Trace, q.Trace) &&
		slices.EqualFunc(p.Events, q.Events, sameEvent) && slices.EqualFunc(p.Conds, q.Conds, sameCond) && maps.Equal(p.Finals, q.Finals) &&
		slices.Equal(p.Addr, q.Addr) && slices.Equal(p.Data, q.Data) && slices.Equal(p.Ctrl, q.Ctrl) && slices.Equal(p.Rmw, q.Rmw) &&
		slices.Equal(p.Unordered, q.Unordered) && slices.Equal(p.Unsequenced, q.Unsequenced)
}

// Seen is structures of a program that have come.
type Seen struct {
	Classes
	number map[*event.Path]int // paths that are the same have one number
	paths  []*event.Path       // by number
	keys   map[string]bool
}

// NewSeen is no structures yet.
func NewSeen(c Classes) *Seen {
	return &Seen{Classes: c, number: map[*event.Path]int{}, keys: map[string]bool{}}
}

// Again reports that a structure has come, or one that is the same if threads change places. From
// now on it has.
func (s *Seen) Again(st *event.Structure) bool {
	if !s.Any() || !Apart(st) {
		return false
	}
	key := s.key(st.Paths)
	again := s.keys[key]
	s.keys[key] = true
	return again
}

// key is which paths the threads of each class take, in whatever order.
func (s *Seen) key(paths []*event.Path) string {
	taken := make([][]int, len(paths)) // by class
	for t, p := range paths {
		c := s.Classes[t]
		taken[c] = append(taken[c], s.numbered(p))
	}
	var key []byte
	for _, numbers := range taken {
		slices.Sort(numbers)
		for _, n := range numbers {
			key = binary.AppendUvarint(key, uint64(n))
		}
	}
	return string(key)
}

func (s *Seen) numbered(p *event.Path) int {
	n, known := s.number[p]
	if !known {
		if n = slices.IndexFunc(s.paths, func(q *event.Path) bool { return Same(p, q) }); n < 0 {
			n, s.paths = len(s.paths), append(s.paths, p)
		}
		s.number[p] = n
	}
	return n
}

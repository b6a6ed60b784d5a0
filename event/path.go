package event

import (
	"maps"

	"github.com/muster-gpu/muster/rel"
)

// Pair relates two events of one path, by their numbers in it.
type Pair [2]int

// Path is one control path of one thread: what the thread does if its branches go
// one way. An instruction set builds Paths; Join makes a Structure of one Path for
// each thread.
type Path struct {
	Events                []Event // in program order; Join fills in Thread
	Addr, Data, Ctrl, Rmw []Pair

	Conds  []Cond          // what the values must satisfy; Join fills in Thread
	Finals map[string]Expr // what each register holds at the end

	Truncated bool // cut at the unroll bound
}

// Join builds the structure in which each thread takes the given path: initial
// writes for all locations, then the events of the threads.
func Join(locs []Location, threads []Thread, paths []*Path) *Structure {
	n := len(locs)
	for _, p := range paths {
		n += len(p.Events)
	}
	s := &Structure{
		Locs: locs, Threads: threads, Events: make([]Event, 0, n),
		Po: rel.New(n), Addr: rel.New(n), Data: rel.New(n), Ctrl: rel.New(n), Rmw: rel.New(n),
		Finals: map[Reg]Expr{}, Sets: map[string]rel.Set{}, Rels: map[string]rel.Rel{},
	}
	for l := range locs {
		s.Events = append(s.Events, Event{
			Thread: InitThread, Kind: Write,
			Addr: Const(AddressOf(l)), Data: Const(locs[l].Init),
		})
	}
	for t, p := range paths {
		s.append(t, p)
	}
	return s
}

// append adds the events of thread t.
func (s *Structure) append(t int, p *Path) {
	first := len(s.Events)
	s.First = append(s.First, first)
	for i, e := range p.Events {
		e.Thread = t
		s.Events = append(s.Events, e)
		for before := first; before < first+i; before++ {
			s.Po.Add(before, first+i)
		}
	}
	for _, d := range []struct {
		to    rel.Rel
		pairs []Pair
	}{{s.Addr, p.Addr}, {s.Data, p.Data}, {s.Ctrl, p.Ctrl}, {s.Rmw, p.Rmw}} {
		for _, pair := range d.pairs {
			d.to.Add(first+pair[0], first+pair[1])
		}
	}
	for _, c := range p.Conds {
		c.Thread = t
		s.Conds = append(s.Conds, c)
	}
	for name, x := range p.Finals {
		s.Finals[Reg{t, name}] = x
	}
	s.Truncated = s.Truncated || p.Truncated
}

// AddFenceRel adds, under a name that models may use, the pairs of accesses of a
// thread that a fence satisfying is separates (ASPLOS 2015, Sec. 5.1.1).
func (s *Structure) AddFenceRel(name string, is func(*Event) bool) {
	fences := s.where(func(e *Event) bool { return e.Kind == Fence && is(e) })
	mem := s.where((*Event).IsMem)
	s.Rels[name] = s.Po.Restrict(mem, fences).Compose(s.Po.Restrict(fences, mem))
}

// Clone copies a path, so that two ways to go on can share its beginning.
func (p *Path) Clone() *Path {
	q := *p
	q.Events = append([]Event(nil), p.Events...)
	q.Addr = append([]Pair(nil), p.Addr...)
	q.Data = append([]Pair(nil), p.Data...)
	q.Ctrl = append([]Pair(nil), p.Ctrl...)
	q.Rmw = append([]Pair(nil), p.Rmw...)
	q.Conds = append([]Cond(nil), p.Conds...)
	q.Finals = maps.Clone(p.Finals)
	return &q
}

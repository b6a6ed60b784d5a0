package event

import (
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/muster-gpu/muster/rel"
)

// Pair relates two events of one path, by their numbers in it.
type Pair [2]int

// Path is one control path of one thread: what the thread does if its branches go
// one way. A front end builds Paths; Join makes a Structure of one Path for
// each thread.
type Path struct {
	Events                []Event // in program order, but for those of asynchronous operations; Join fills in Thread
	Addr, Data, Ctrl, Rmw []Pair

	// Unordered are the pairs of events, the earlier first, that program order does not relate
	// because the language leaves their order open. Unsequenced are those that are undefined
	// behaviour if both access one object (C11, 6.5p2).
	Unordered, Unsequenced []Pair
	// Chosen has an entry for each expression whose parts have an unspecified order. The entry
	// lists the first instruction of each part (as in Event.Instr) in the order that this path
	// takes.
	Chosen [][]int

	// Issue, Within and Complete order the events of asynchronous operations. Issue leads from what
	// the thread does before an operation to the events of the operation. Within leads from its
	// reads to its writes, and from both to the event that signals its completion. Complete leads
	// from its events to what the thread does after it has waited for them.
	Issue, Within, Complete []Pair

	Conds  []Cond          // what the values must satisfy; Join fills in Thread
	Finals map[string]Expr // what each register holds at the end

	Ending Ending
	Spin   []int // of an EndlessSpin, the reads of its last round
	Idle   []int // the reads of a round of a loop that changes nothing; the path has it because these may race
	Trace  []int // of a Truncated path, the writes of its last round
}

// Idles reports whether the path has an additional iteration of a loop that matters only for races.
func (p *Path) Idles() bool { return len(p.Idle) > 0 }

// Ending is the way a control path ends.
type Ending uint8

// The endings.
const (
	Complete    Ending = iota
	Truncated          // cut at the unroll bound
	EndlessWait        // at its last event, a barrier, for threads that never arrive
	EndlessSpin        // reading the same values again and again
)

// Family is the structures of a program whose teams take paths independently: there is one
// structure for each combination of one Take per team.
type Family struct {
	Teams []Team
	Join  func([]*Path) *Structure // of a path of each thread
}

// Team is a set of threads that meet at barriers, so that the paths of one depend on those of the
// others, or a single thread.
type Team struct {
	Threads []int
	Takes   []Take
}

// Take is sets of paths, one set for each thread of a team, in the order of its threads. Any choice
// of one path from each set can occur together.
type Take [][]*Path

// Paths yields the paths that threads may take. A path that occurs in several takes of a team is
// yielded once for each.
func (f *Family) Paths() iter.Seq2[int, *Path] {
	return func(yield func(int, *Path) bool) {
		for _, team := range f.Teams {
			for _, take := range team.Takes {
				for i, paths := range take {
					for _, p := range paths {
						if !yield(team.Threads[i], p) {
							return
						}
					}
				}
			}
		}
	}
}

// Any reports whether a thread may take a path that satisfies is.
func (f *Family) Any(is func(*Path) bool) bool {
	for _, p := range f.Paths() {
		if is(p) {
			return true
		}
	}
	return false
}

// Len returns the number of structures, at most math.MaxInt.
func (f *Family) Len() int {
	n := 1
	for _, team := range f.Teams {
		some := 0
		for _, take := range team.Takes {
			ways := 1
			for _, paths := range take {
				ways = times(ways, len(paths))
			}
			some = min(some, math.MaxInt-ways) + ways
		}
		n = times(n, some)
	}
	return n
}

// times multiplies two counts; math.MaxInt if that is too much.
func times(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// Only returns the structures of a family whose paths all satisfy is, or nil if it has no such
// structures.
func (f *Family) Only(is func(*Path) bool) *Family {
	g := &Family{Join: f.Join}
	for _, team := range f.Teams {
		some := Team{Threads: team.Threads}
		for _, take := range team.Takes {
			only := make(Take, len(take))
			for i, paths := range take {
				only[i] = slices.DeleteFunc(slices.Clone(paths), func(p *Path) bool { return !is(p) })
			}
			if !slices.ContainsFunc(only, func(paths []*Path) bool { return len(paths) == 0 }) {
				some.Takes = append(some.Takes, only)
			}
		}
		if len(some.Takes) == 0 {
			return nil
		}
		g.Teams = append(g.Teams, some)
	}
	return g
}

// Join builds the structure in which each thread takes the given path: initial
// writes for all locations that are no aliases, then the events of the threads.
func Join(locs []Location, threads []Thread, paths []*Path) *Structure {
	n := 0
	for _, l := range locs {
		if l.Alias == nil {
			n++
		}
	}
	for _, p := range paths {
		n += len(p.Events)
	}
	s := &Structure{
		Locs: locs, Threads: threads, Paths: paths, Events: make([]Event, 0, n), First: make([]ID, 0, len(threads)),
	}
	empty := rel.Several(5, n)
	s.Po, s.Addr, s.Data, s.Ctrl, s.Rmw = empty[0], empty[1], empty[2], empty[3], empty[4]
	for l := range locs {
		if locs[l].Alias != nil {
			continue
		}
		s.Events = append(s.Events, Event{
			Thread: InitThread, Kind: Write,
			Addr: constant(AddressOf(l)), Data: constant(locs[l].Init),
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
	s.Events = append(s.Events, p.Events...)
	for e := first; e < len(s.Events); e++ {
		s.Events[e].Thread = t
		for before := first; before < e; before++ {
			if Ordered(&s.Events[before], &s.Events[e]) {
				s.Po.Add(before, e)
			}
		}
	}
	for _, pair := range p.Unordered {
		s.Po.Remove(first+pair[0], first+pair[1])
	}
	for _, d := range []struct {
		to    rel.Rel
		pairs []Pair
	}{{s.Addr, p.Addr}, {s.Data, p.Data}, {s.Ctrl, p.Ctrl}, {s.Rmw, p.Rmw}} {
		for _, pair := range d.pairs {
			d.to.Add(first+pair[0], first+pair[1])
		}
	}
	for _, d := range []struct {
		to    *[]Pair
		pairs []Pair
	}{{&s.Issue, p.Issue}, {&s.Within, p.Within}, {&s.Complete, p.Complete}} {
		for _, pair := range d.pairs {
			*d.to = append(*d.to, Pair{first + pair[0], first + pair[1]})
		}
	}
	for _, c := range p.Conds {
		c.Thread = t
		s.Conds = append(s.Conds, c)
	}
	s.Truncated = s.Truncated || p.Ending == Truncated
	s.Stuck = s.Stuck || p.Ending == EndlessWait || p.Ending == EndlessSpin
	if p.Ending == EndlessWait {
		s.Wait = append(s.Wait, len(s.Events)-1)
	}
	for _, read := range p.Spin {
		s.Spin = append(s.Spin, first+read)
	}
}

// Ordered reports whether program order relates two events of a thread, the earlier and the later.
// It does not relate elements of one vector access, which happen in no particular order (PTX ISA,
// "Vector Data-types" of the memory model), nor events of an asynchronous operation. The read and
// the write of one atomic element are ordered.
func Ordered(e, f *Event) bool {
	return e.Agent == 0 && f.Agent == 0 && (e.Vector == 0 || e.Vector != f.Vector || e.Part != 0 && e.Part == f.Part)
}

// AddRel adds a relation under a name that models may use.
func (s *Structure) AddRel(name string, pairs []Pair) {
	if s.Rels == nil {
		s.Rels = map[string]rel.Rel{}
	}
	s.Rels[name] = s.relation(pairs)
}

// relation returns some pairs of events as a relation.
func (s *Structure) relation(pairs []Pair) rel.Rel {
	r := rel.New(s.N())
	for _, p := range pairs {
		r.Add(p[0], p[1])
	}
	return r
}

// With returns the structure with one more relation. The original stays as it is.
func (s *Structure) With(name string, pairs []Pair) *Structure {
	t := *s
	t.Shape = nil
	t.Rels = maps.Clone(s.Rels)
	t.AddRel(name, pairs)
	return &t
}

// Clone copies a path, so that two continuations can share a prefix.
func (p *Path) Clone() *Path {
	q := *p
	q.Events = append([]Event(nil), p.Events...)
	q.Addr = append([]Pair(nil), p.Addr...)
	q.Data = append([]Pair(nil), p.Data...)
	q.Ctrl = append([]Pair(nil), p.Ctrl...)
	q.Rmw = append([]Pair(nil), p.Rmw...)
	q.Unordered = append([]Pair(nil), p.Unordered...)
	q.Unsequenced = append([]Pair(nil), p.Unsequenced...)
	q.Chosen = slices.Clone(p.Chosen)
	q.Issue = append([]Pair(nil), p.Issue...)
	q.Within = append([]Pair(nil), p.Within...)
	q.Complete = append([]Pair(nil), p.Complete...)
	q.Conds = append([]Cond(nil), p.Conds...)
	q.Finals = maps.Clone(p.Finals)
	q.Spin = append([]int(nil), p.Spin...)
	q.Idle = append([]int(nil), p.Idle...)
	q.Trace = append([]int(nil), p.Trace...)
	return &q
}

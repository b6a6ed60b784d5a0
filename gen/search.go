package gen

import (
	"cmp"
	"context"
	"slices"

	"github.com/muster-gpu/muster/src"
)

// search enumerates the cycles that match positions: their edges, accesses, levels and regions.
type search struct {
	ctx         context.Context // ends the search
	isa         *ISA
	positions   []position
	levels      []Level // for external edges without a level
	shared      []bool  // whether locations may be in global memory (false) and in shared memory (true)
	threads     Range   // no bound if zero
	events      int     // bound on the events of a thread; 0 for none
	atomics     *Range  // number of atomics; nil for any number
	marks       *Range  // see Generator
	irreducible bool    // skip cycles that are equivalent to a shorter one
	placeable   bool    // skip levels and regions that contradict each other
	necklaces   bool    // all positions have the same choices: yield one cycle of each rotation class

	picked []int // indices of the edges at each position
	edges  []Edge
}

// cycles yields the cycles.
func (s *search) cycles(yield func(*Cycle) bool) bool {
	i := len(s.edges)
	if s.ctx.Err() != nil {
		return false
	}
	if i == len(s.positions) {
		return !s.closes() || s.decorate(yield)
	}
	for k, e := range s.positions[i].edges {
		if s.necklaces && i > 0 && k < s.picked[0] {
			continue // an equivalent cycle that begins there has been found
		}
		if i > 0 && !s.joins(i-1, s.edges[i-1], e) {
			continue
		}
		s.edges, s.picked = append(s.edges, e), append(s.picked, k)
		more := !s.withinBounds() || s.cycles(yield)
		s.edges, s.picked = s.edges[:i], s.picked[:i]
		if !more {
			return false
		}
	}
	return true
}

// joins reports whether edge f can follow edge e at position i. Reducible pairs are excluded unless
// the pair is the whole cycle: Fre Coe is a write between the halves of an atomic.
func (s *search) joins(i int, e, f Edge) bool {
	if len(s.accesses((i+1)%len(s.positions), e, f)) == 0 {
		return false
	}
	return !s.irreducible || len(s.positions) == 2 || e.Dst != f.Src || !reducible(e, f)
}

// unsaid is the only choice for an event without a description: its edges imply the access, or it
// is the default.
var unsaid = []*Access{{}}

// accesses returns the choices for the event at a position, between two edges.
func (s *search) accesses(i int, before, after Edge) []*Access {
	if before.Kind == Copy || after.Kind == Copy {
		return unsaid
	}
	n := s.positions[i].note
	some := n.accesses
	if some == nil {
		some = unsaid
	}
	fits := func(a *Access) bool { return s.isa.or(a).suits(before.Dst, after.Src) }
	between := before.Dst == R && after.Src == W && len(n.between) > 0
	if !between && each(some, fits) {
		return some
	}
	var fit []*Access
	for _, a := range some {
		if fits(a) {
			fit = append(fit, a)
		}
	}
	if between {
		fit = append(fit, n.between...)
	}
	return fit
}

// withinBounds reports whether the edges so far respect the bounds on threads, events of a thread
// and marks.
func (s *search) withinBounds() bool {
	threads, events, longest, marks, atomics := 0, 1, 1, 0, 0
	for i, e := range s.edges {
		atomics += boolIndex(i > 0 && s.edges[i-1].Dst != e.Src)
		threads += boolIndex(e.External)
		marks += boolIndex(e.marked())
		if i < len(s.positions)-1 { // the last edge leads to the first event
			events++
		}
		if e.External {
			events = 1
		}
		longest = max(longest, events)
	}
	return (s.threads.Max == 0 || threads <= s.threads.Max) && (s.events == 0 || longest <= s.events) &&
		!s.marks.exceeded(marks) && !s.atomics.exceeded(atomics)
}

// closes reports whether the edges form a cycle, within the bounds on threads, atomics and marks.
func (s *search) closes() bool {
	n := len(s.edges)
	if !s.joins(n-1, s.edges[n-1], s.edges[0]) {
		return false
	}
	external, diff := 0, 0
	for _, e := range s.edges {
		external += boolIndex(e.External)
		diff += boolIndex(e.Diff)
	}
	if s.irreducible && (external == 1 || diff == 1 || s.tooLong() || diff > 0 && external > 0 && s.detour()) ||
		max(external, 1) < s.threads.Min {
		return false
	}
	for first := 1; s.necklaces && first < n; first++ {
		if slices.Compare(rotated(s.picked, first), s.picked) < 0 {
			return false
		}
	}
	return true
}

// detour reports whether a thread accesses a location and leaves it before another thread accesses
// it. Its events before and after are then in program order without that access.
func (s *search) detour() bool {
	last := slices.IndexFunc(s.edges, func(e Edge) bool { return e.Diff })
	met := false // another thread has been reached since the last edge to another location
	for _, e := range rotated(s.edges, last+1) {
		met = met || e.External
		if e.Diff && !met {
			return true
		}
		if e.Diff {
			met = false
		}
	}
	return false
}

// tooLong reports whether the thread around the beginning has too many events.
func (s *search) tooLong() bool {
	first := slices.IndexFunc(s.edges, func(e Edge) bool { return e.External })
	if s.events == 0 || first < 0 {
		return false
	}
	events := 1
	for _, e := range rotated(s.edges, first+1) {
		events++
		if e.External {
			events = 1
		}
		if events > s.events {
			return true
		}
	}
	return false
}

// decorate yields the cycles with the given edges, for each choice of accesses, levels and regions.
func (s *search) decorate(yield func(*Cycle) bool) bool {
	n := len(s.edges)
	c := &Cycle{ISA: s.isa, Edges: slices.Clone(s.edges), Shared: make([]bool, n)}
	chosen, marks := make([]*Access, n), 0
	for _, e := range s.edges {
		marks += boolIndex(e.marked())
	}
	var accesses func(i, atomics, marks int) bool
	var levels func(i int) bool
	accesses = func(i, atomics, marks int) bool {
		if i == n {
			c.Accesses = slices.Clone(chosen) // shared by all cycles that differ in levels and regions
			return !s.atomics.allows(atomics) || !s.marks.allows(marks) || levels(0)
		}
		before, after := s.edges[(i+n-1)%n], s.edges[i]
		return each(s.accesses(i, before, after), func(a *Access) bool {
			if s.irreducible && orderedAnyway(before, after, a) {
				return true
			}
			chosen[i] = a
			atomics, marks := atomics+boolIndex(a.Atomic()), marks+boolIndex(s.positions[i].marks(a))
			return s.atomics.exceeded(atomics) || s.marks.exceeded(marks) || accesses(i+1, atomics, marks)
		})
	}
	levels = func(i int) bool {
		if i == n {
			return s.regions(c, yield)
		}
		open := s.levels
		if e := s.edges[i]; !e.External || e.Level != AnyLevel {
			open = []Level{e.Level}
		}
		return each(open, func(l Level) bool {
			c.Edges[i].Level = l
			return levels(i + 1)
		})
	}
	return accesses(0, 0, marks)
}

// regions yields the cycle with every choice of regions. A location that threads of two CTAs access
// cannot be in shared memory.
func (s *search) regions(c *Cycle, yield func(*Cycle) bool) bool {
	locs, count := c.locations()
	near := c.within(SameCTA, locs, count)
	if s.placeable && near == nil {
		return true
	}
	shared, edges := make([]bool, count), slices.Clone(c.Edges)
	known := c.operated(locs)
	var choose func(loc int) bool
	choose = func(loc int) bool {
		if loc < count {
			open := s.shared
			if known[loc] != nil {
				open = []bool{*known[loc]}
			}
			return each(open, func(region bool) bool {
				shared[loc] = region
				return s.placeable && region && !near[loc] || choose(loc+1)
			})
		}
		found := &Cycle{c.ISA, edges, c.Accesses, make([]bool, len(edges))}
		for i, loc := range locs {
			found.Shared[i] = shared[loc] || s.positions[i].shared
		}
		return yield(found)
	}
	return choose(0)
}

// within reports, for each location, whether the threads that access it share a unit of a level. It
// returns nil if the levels contradict each other.
func (c *Cycle) within(level Level, locs []int, count int) []bool {
	near := slices.Repeat([]bool{true}, count)
	marks, _ := c.marks()
	if len(marks) == 0 {
		return near
	}
	place, wrong := solve(marks)
	if wrong != fine {
		return nil
	}
	threads := make([]int, len(c.Edges)) // by event
	for i, e := range c.Edges[:len(c.Edges)-1] {
		threads[i+1] = (threads[i] + boolIndex(e.External)) % len(marks)
	}
	for i, loc := range locs {
		for j := range i {
			near[loc] = near[loc] && (locs[j] != loc || place[threads[i]][threads[j]] <= c.reach(i, j, level))
		}
	}
	return near
}

// each reports whether f holds for all elements.
func each[T any](all []T, f func(T) bool) bool {
	return !slices.ContainsFunc(all, func(x T) bool { return !f(x) })
}

// marks reports whether an access of the event is not the default. Atomics do not count as marks,
// but as two events.
func (p *position) marks(a *Access) bool {
	usual := unsaid[0]
	if len(p.accesses) > 0 {
		usual = p.accesses[0]
	}
	return a.Name != usual.Name && !a.Atomic()
}

// allows reports whether n is in the range; a nil range allows everything.
func (r *Range) allows(n int) bool { return r == nil || r.Min <= n && n <= r.Max }

// exceeded reports whether n exceeds the range.
func (r *Range) exceeded(n int) bool { return r != nil && n > r.Max }

// Cycles yields the cycles of the pattern that have a test. levels and shared are the choices where
// it leaves them open; either may be empty. It is an error if there is no such cycle. The search
// ends with the context.
func (p *Pattern) Cycles(ctx context.Context, levels []Level, shared []bool, yield func(*Cycle) bool) error {
	s := &search{
		ctx:       ctx,
		isa:       p.isa,
		positions: p.positions,
		levels:    levels,
		shared:    shared,
		placeable: len(levels) > 0,
	}
	if levels == nil {
		s.levels = []Level{AnyLevel}
	}
	if shared == nil {
		s.shared = []bool{false}
	}
	suitable := false
	var unsuitable error
	s.cycles(func(c *Cycle) bool {
		if _, err := c.closed().canonical().lay(); err != nil {
			unsuitable = cmp.Or(unsuitable, err)
			return true
		}
		suitable = true
		return yield(c)
	})
	switch {
	case suitable || ctx.Err() != nil:
		return nil
	case unsuitable != nil:
		return unsuitable
	}
	return p.mismatch(ctx, s)
}

// mismatch returns an error at edges of a pattern that do not fit together.
func (p *Pattern) mismatch(ctx context.Context, s *search) error {
	for i, f := range p.positions {
		before := p.positions[(i+len(p.positions)-1)%len(p.positions)]
		fit := slices.ContainsFunc(before.edges, func(e Edge) bool {
			return slices.ContainsFunc(f.edges, func(g Edge) bool { return len(s.accesses(i, e, g)) > 0 })
		})
		if !fit {
			return src.Diagnostics{src.Errorf(f.at, "%s cannot follow %s: %s", f.at.Text(), before.at.Text(),
				p.why(before,
					f)).WithHint(
				"an event between two edges is a write for both or a read for both, or an atomic: [atom.exch]")}
		}
	}
	whole := p.positions[0].at.To(p.positions[len(p.positions)-1].at)
	if s.placeable && p.Cycles(ctx, nil, s.shared, func(*Cycle) bool { return false }) == nil {
		return src.Diagnostics{src.Errorf(whole, "the levels of these edges contradict those that are left open")}
	}
	return src.Diagnostics{src.Errorf(whole, "the directions of these edges fit nowhere together")}
}

// why describes the directions of two positions that do not match.
func (p *Pattern) why(before, after position) string {
	ends, begins := before.edges[0].Dst, after.edges[0].Src
	if ends == begins {
		return "what stands between them cannot be a " + directionNames[ends]
	}
	return "one ends with a " + directionNames[ends] + ", the other begins with a " + directionNames[begins]
}

var directionNames = map[Dir]string{W: "write", R: "read"}

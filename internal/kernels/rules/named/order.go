package named

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// position is a warp's place in its sequence of barriers, under a condition: behind the n-th of the
// prologue, of an iteration of its loop, or of the epilogue.
type position struct {
	when *term.Term
	leg  leg
	n    int
}

// leg is a part of the sequence.
type leg uint8

const (
	prologue leg = iota // before the loop; all of it if there is no iteration
	inLoop              // in an iteration
	epilogue            // after the last iteration
)

// positionOf is the key of memorized positions: IDs of terms, and the warp.
type positionOf struct{ arrived, guard, warp int }

// positions returns the possible positions of a warp when lanes of it make an access, or nil if
// they are unknown, or not the same for all these lanes.
func (a *arrivals) positions(x *trace.Access, w int) []position {
	id := positionOf{x.Arrived.ID(), x.Guard.ID(), w}
	all, known := a.known[id]
	if !known {
		if at := a.same(x, w); at == nil {
			all = []position{{when: a.b.Bool(false)}} // none comes
		} else if all, known = a.leaves(nil, at, a.b.Bool(true), w); !known {
			all = nil
		}
		a.known[id] = all
	}
	return all
}

// same returns the number of arrivals of all lanes of a warp that make an access. It returns a term
// that is not a constant if they differ, and nil if no lane makes the access. The number of a lane
// that does not make it is meaningless.
func (a *arrivals) same(x *trace.Access, w int) (at *term.Term) {
	for _, lane := range a.lanes(w) {
		switch here := lane.Term(x.Arrived); {
		case here == at || lane.Term(x.Guard).False():
		case at == nil:
			at = here
		default:
			return x.Arrived
		}
	}
	return at
}

// leaves adds the positions of a term for the number of arrivals: one for each leaf of its
// conditionals.
func (a *arrivals) leaves(all []position, at, when *term.Term, w int) (_ []position, known bool) {
	if n, ok := at.Value(); ok {
		s, ok := a.position(n, w)
		s.when = when
		return append(all, s), ok
	}
	if at.Op() != term.Ite {
		return nil, false
	}
	if all, known = a.leaves(all, at.Args()[1], a.b.And(when, at.Args()[0]), w); !known {
		return nil, false
	}
	return a.leaves(all, at.Args()[2], a.b.And(when, a.b.Not(at.Args()[0])), w)
}

// position returns the position of a warp that has reached a number of barriers.
func (a *arrivals) position(arrived uint64, w int) (s position, ok bool) {
	from, n := trace.Arrivals(arrived)
	l := &a.lines[w]
	if from.Pipeline < 0 {
		return position{n: n}, true
	}
	switch loop := a.trace.Pipelines[from.Pipeline]; {
	case loop == l.loop && from.After:
		return position{leg: epilogue, n: n}, true
	case loop == l.loop:
		return position{leg: inLoop, n: n}, true
	case l.loop == nil: // no barrier is in this loop for the warp
		return position{n: n + l.first(a.trace, loop)}, true
	}
	return s, false
}

// first returns the number of barriers that a warp without a loop has reached before a loop.
func (l *line) first(trace *trace.Trace, loop *trace.Pipeline) (n int) {
	for _, x := range l.before {
		if slices.Index(trace.Arrivals, x.at) < loop.First {
			n++
		}
	}
	return n
}

// iteration returns the iteration in which a warp is, or 0 if it has no loop.
func (a *arrivals) iteration(w int) *term.Term {
	if l := a.lines[w].loop; l != nil {
		return l.Round
	}
	return a.b.Const(0, 64)
}

// unordered returns the condition that such barriers do not order two accesses.
func (c *course) unordered(p ask.Pair) *term.Term {
	a := c.on
	var all []*unordering
	for w := range a.lines {
		with := c.against(p.First, w, p.Other, p.Thread)
		at := slices.IndexFunc(all, func(g *unordering) bool { return slices.Equal(g.with, with) })
		if at < 0 {
			at = len(all)
			all = append(all, &unordering{with: with})
		}
		all[at].warps |= 1 << w
	}
	some := a.b.Bool(false)
	for _, g := range all {
		for _, o := range g.with {
			some = a.b.Or(some, a.b.And(a.b.And(a.in(g.warps, a.warp()), p.Theirs(a.in(o.warps, a.warp()))), o.when))
		}
	}
	return some
}

// unordering is a set of warps of the first thread, and the warps of the other with which they are
// not ordered.
type unordering struct {
	warps uint32
	with  []others
}

// others is a set of warps of the other thread, and when they are not ordered with some warps of
// the first.
type others struct {
	warps uint32
	when  *term.Term
}

// against returns the warps of the other thread whose access is not ordered with that of a warp.
func (c *course) against(x *trace.Access, w int, y *trace.Access, s *ask.Thread) (all []others) {
	for v := range c.on.lines {
		when := c.between(x, w, y, v, s)
		at := slices.IndexFunc(all, func(u others) bool { return u.when == when })
		switch {
		case when.False():
		case at < 0:
			all = append(all, others{1 << v, when})
		default:
			all[at].warps |= 1 << v
		}
	}
	return all
}

// between returns the condition that an access of warp w, by the first thread, and one of warp v,
// by the other, are not ordered.
func (c *course) between(x *trace.Access, w int, y *trace.Access, v int, s *ask.Thread) *term.Term {
	mine, theirs := c.on.positions(x, w), c.on.positions(y, v)
	if mine == nil || theirs == nil {
		return c.b.Bool(true)
	}
	my, their := c.on.iteration(w), s.Term(c.on.iteration(v))
	some := c.b.Bool(false)
	for _, here := range mine {
		for _, there := range theirs {
			both := c.b.And(here.when, s.Term(there.when))
			if both.False() {
				continue
			}
			some = c.b.Or(some, c.b.And(both, c.apart(here, w, my, there, v, their)))
		}
	}
	return some
}

// apart returns the condition that warps at two positions, in their iterations, are unordered. If
// only a few distances of the iterations are possible, it lists them: equations are easier than
// bounds.
func (c *course) apart(x position, w int, my *term.Term, y position, v int, their *term.Term) *term.Term {
	lead, known := c.lead(x, w, y, v)
	lag, knownToo := c.lead(y, v, x, w)
	if !known || !knownToo || -lag-lead > maxApart {
		return c.b.And(c.b.Not(c.before(x, w, my, y, v, their)), c.b.Not(c.before(y, v, their, x, w, my)))
	}
	some := c.b.Bool(false)
	for by := lead + 1; by < -lag; by++ {
		more, less := c.b.Const(uint64(max(0, by)), 64), c.b.Const(uint64(max(0, -by)), 64)
		some = c.b.Or(some, c.b.Eq(c.b.Add(my, less), c.b.Add(their, more)))
	}
	return some
}

// maxApart bounds the distances that are listed.
const maxApart = 20

// lead returns by how many iterations a warp may be ahead of another and still be ordered before
// it, and false if that differs between iterations.
func (c *course) lead(x position, w int, y position, v int) (most int, known bool) {
	if x.leg == prologue || y.leg == prologue {
		return 0, false
	}
	for r := range c.steady + 1 {
		if !c.regular(x, y, v, w, r) {
			return 0, false
		}
	}
	for turn := range c.period {
		r := c.steady + 1 + turn
		s := c.sighted(y, v, w, r)
		if n := x.most(s, r); s.iteration >= 0 && (turn == 0 || n == most) {
			most = n
			continue
		}
		return 0, false
	}
	return most, true
}

// before returns the condition that a warp at position x is ordered before another at position y.
func (c *course) before(x position, w int, my *term.Term, y position, v int, their *term.Term) *term.Term {
	if y.leg == prologue {
		return c.sees(x, my, c.sighted(y, v, w, 0), their, 0)
	}
	least := c.steady // up to here, iterations are told apart
	for least >= 0 && c.regular(x, y, v, w, least) {
		least--
	}
	all := c.b.Bool(false)
	for r := range least + 1 {
		all = c.b.Or(all, c.b.And(c.b.Eq(their, c.b.Const(uint64(r), 64)), c.sees(x, my, c.sighted(y, v, w, r), their, r)))
	}
	for turn := range c.period {
		r := c.steady + 1 + turn
		when := c.b.And(c.b.ULe(c.b.Const(uint64(least+1), 64), their), c.on.loops.turn(their, c.period, r))
		all = c.b.Or(all, c.b.And(when, c.sees(x, my, c.sighted(y, v, w, r), their, r)))
	}
	return all
}

// regular reports whether what a warp has seen of another in an iteration is what it sees a period
// later, up to the number of the iteration. For a warp in a later iteration, an arrival before the
// first iteration counts as no arrival.
func (c *course) regular(x, y position, v, w, iteration int) bool {
	now, later := c.sighted(y, v, w, iteration), c.sighted(y, v, w, iteration+c.period)
	switch {
	case later.iteration < 0:
	case later.iteration < c.period:
		return x.leg != prologue && now.iteration < 0
	default:
		later.iteration -= c.period
	}
	return now == later
}

// sighted returns the last arrival of warp w that is ordered before warp v at a position in an
// iteration, for every number of iterations.
func (c *course) sighted(y position, v, w, iteration int) sight {
	least, some := unseen, false
	for iterations, k := range c.walks {
		if k == nil || y.leg == inLoop && iterations <= iteration || y.leg == epilogue && iterations != iteration+1 {
			continue
		}
		at := y.n
		switch y.leg {
		case prologue:
			if l := &c.on.lines[v]; l.loop != nil && iterations > 0 && at > len(l.before) {
				continue
			}
		case inLoop:
			if at > len(c.iteration(v, iteration, iterations)) {
				continue
			}
			at += c.begin(v, iteration, iterations)
		case epilogue:
			at += c.begin(v, iterations, iterations)
		}
		if at >= len(k.seen[v]) {
			continue
		}
		if s := c.sightOf(w, iterations, k.seen[v][at][w]-1); !some || s.compare(least) < 0 {
			least, some = s, true
		}
	}
	return least
}

// sees returns the condition that a warp at position x is no further than an arrival s that is seen
// of it in an iteration, given as a number (iteration) and as a term (their).
func (c *course) sees(x position, my *term.Term, s sight, their *term.Term, iteration int) *term.Term {
	switch {
	case x.leg == prologue:
		return c.b.Bool(s.iteration >= 0 || s.iteration == -1 && x.n <= s.nth)
	case s.iteration < 0:
		return c.b.Bool(false)
	}
	most := x.most(s, iteration)
	if most >= 0 {
		return c.b.ULe(my, c.b.Add(their, c.b.Const(uint64(most), 64)))
	}
	return c.b.ULt(c.b.Add(my, c.b.Const(uint64(-most-1), 64)), their)
}

// most returns by how many iterations a warp at a position may be ahead of the one that has seen an
// arrival of it, and still be no further than that arrival.
func (x position) most(s sight, iteration int) int {
	most := s.iteration - iteration
	if x.n > s.nth {
		most--
	}
	if x.leg == epilogue {
		most--
	}
	return most
}
